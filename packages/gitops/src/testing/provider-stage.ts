import type { HttpTls } from '@waygate/text';
import type { NotificationEvent } from '../api/notification-event.ts';
import type { Alert, Provider, ProviderSpec } from '../api/notification-objects.ts';
import type { SecretData } from '../api/secret-data.ts';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { type Exchange, providerExchange } from '../provider/provider-exchange.ts';
import { providerSettings } from '../provider/provider-settings.ts';
import { providerTypes } from '../provider/provider-types.ts';
import { type Told, ToldServer } from './told-server.ts';

/** The commit that the events of providers tell of. */
export const sha = 'a'.repeat(40);

/** What providers are told in tests, when it is nothing else. */
export const appliedEvent: NotificationEvent = {
  involvedObject: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'apps',
    namespace: 'team',
    uid: 'object-uid',
  },
  severity: 'info',
  timestamp: '2026-01-02T03:04:05.000Z',
  message: 'Applied revision: main\nsecond line',
  reason: 'ReconciliationSucceeded',
  metadata: { revision: `main@sha1:${sha}`, summary: 'shop', env: 'prod' },
  reportingController: 'kustomize-controller',
  reportingInstance: 'pod',
};

/** The same object, failed. */
export const failedEvent: NotificationEvent = {
  ...appliedEvent,
  severity: 'error',
  reason: 'BuildFailed',
};
/** The Alert that wants them to be told. */
export const tellingAlert: Alert = {
  metadata: { name: 'alert', namespace: 'team' },
  spec: { providerRef: { name: 'p' }, eventSources: [] },
};

/** A provider's server, and what sends events to it. */
export class ProviderStage implements AsyncDisposable {
  readonly server: ToldServer;
  /** What is asked of a server on the internet goes where it says. */
  redirect: (url: URL) => URL = (url) => url;
  tls: HttpTls = {};
  signal: AbortSignal = new AbortController().signal;
  readonly #client = new OutgoingClient();

  static async start(): Promise<ProviderStage> {
    return new ProviderStage(await ToldServer.start());
  }

  private constructor(server: ToldServer) {
    this.server = server;
  }

  exchange(): Exchange {
    return providerExchange(this.#client, new AbortController().signal, () => 0);
  }

  /** Tells a provider in the way of its type; its address is the server's, when it has no other. */
  async send(
    spec: ProviderSpec,
    secret: SecretData = {},
    event: NotificationEvent = appliedEvent,
  ): Promise<void> {
    const provider: Provider = {
      metadata: { name: 'p', namespace: 'team', uid: 'abcd1234-5678' },
      spec: { address: this.server.url, ...spec },
    };
    const type = providerTypes.get(spec.type)!;
    const settings = providerSettings(provider, secret);
    const surroundings = { tls: this.tls, signal: this.signal, now: () => 0 };
    const exchange: Exchange = (request) =>
      this.exchange()({ ...request, url: this.redirect(request.url) });
    await type.send({ event, alert: tellingAlert }, settings, exchange, surroundings);
  }

  told(index = 0): Told | undefined {
    return this.server.told[index];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.server[Symbol.asyncDispose]();
  }
}
