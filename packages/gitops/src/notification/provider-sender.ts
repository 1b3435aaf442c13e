import type { Clock, SharedInformer } from '@waygate/runtime';
import { LinkedSignal } from '@waygate/text';
import type { Provider } from '../api/notification-objects.ts';
import type { SecretData } from '../api/secret-data.ts';
import { GitHubApps, isGitHubApp } from '../git/github-app.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { durationMs } from '../interval.ts';
import { DeliveryError, providerExchange } from '../provider/provider-exchange.ts';
import type { ProviderMessage } from '../provider/provider-message.ts';
import { providerSettings, providerWay } from '../provider/provider-settings.ts';
import { providerTypes } from '../provider/provider-types.ts';
import type { SourceSecrets } from '../source/source-secrets.ts';
import type { Sending } from './outbox.ts';

interface ProviderSenderOptions {
  readonly providers: SharedInformer<Provider>;
  readonly secrets: SourceSecrets;
  readonly clock: Clock;
}

const defaultTimeoutMs = 15_000;
/** Shorter ones are no secrets, and would take words apart. */
const shortestSecret = 4;

/**
 * Sends a message as its provider says at this moment: what was mended in a Provider or its Secret
 * holds for the next try.
 */
export class ProviderSender {
  readonly #options: ProviderSenderOptions;
  readonly #apps: GitHubApps;

  constructor(options: ProviderSenderOptions) {
    this.#options = options;
    this.#apps = new GitHubApps(options.clock);
  }

  async send(key: string, message: ProviderMessage, signal: AbortSignal): Promise<Sending> {
    const provider = this.#options.providers.indexer.getByKey(key);
    if (provider === undefined) return { kind: 'refused', why: `the Provider ${key} is gone` };
    if (provider.spec.suspend === true)
      return { kind: 'refused', why: `the Provider ${key} is suspended` };
    const type = providerTypes.get(provider.spec.type);
    if (type === undefined)
      return { kind: 'refused', why: `Providers of type ${provider.spec.type} are not supported` };
    const linked = new LinkedSignal(signal, durationMs(provider.spec.timeout, defaultTimeoutMs));
    let secret: SecretData | undefined;
    try {
      const secrets = await this.#read(provider, linked.signal);
      secret = secrets.secret;
      if (secret !== undefined && isGitHubApp(secret)) {
        const { password } = await this.#apps.credentials(secret, secrets.proxy, linked.signal);
        secret = { ...secret, token: password ?? '' };
      }
      const way = providerWay(provider, secrets);
      const client = new OutgoingClient(way);
      const now = () => this.#options.clock.now();
      try {
        const exchange = providerExchange(client, linked.signal, now);
        const surroundings = { tls: way.tls, signal: linked.signal, now };
        await type.send(message, providerSettings(provider, secret), exchange, surroundings);
      } finally {
        client.close();
      }
      return { kind: 'sent' };
    } catch (error) {
      const why = masked(`the Provider ${key} was not reached: ${messageOf(error)}`, secret);
      const isFinal =
        (error instanceof DeliveryError && !error.isTransient) || error instanceof GitOpsError;
      if (isFinal) return { kind: 'refused', why };
      const waitMs = error instanceof DeliveryError ? error.retryAfterMs : undefined;
      return { kind: 'later', why, waitMs };
    } finally {
      linked.release();
    }
  }

  async #read({ metadata, spec }: Provider, signal: AbortSignal) {
    const { secrets } = this.#options;
    const namespace = metadata.namespace ?? '';
    const read = (name: string | undefined) => secrets.read(namespace, name, signal);
    return {
      secret: await read(spec.secretRef?.name),
      certificates: await read(spec.certSecretRef?.name),
      proxy: await read(spec.proxySecretRef?.name),
    };
  }
}

/** Whatever a server or a library said, what a Secret holds is not in it. */
function masked(text: string, secret: SecretData | undefined): string {
  let shown = text;
  for (const value of Object.values(secret ?? {})) {
    const trimmed = value.trim();
    if (trimmed.length >= shortestSecret) shown = shown.replaceAll(trimmed, '***');
  }
  return shown.slice(0, 1024);
}
