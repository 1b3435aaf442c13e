import { isAlreadyExists, isConflict, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  type ListenerKeyPair,
  listerWatcherOf,
  SharedInformer,
} from '@waygate/runtime';
import {
  type Kind,
  type KubeObject,
  kinds,
  type Secret,
  type WebhookConfiguration,
} from '@waygate/schema';
import { makeServingPair } from './webhook-certificate.ts';
import { nextStep, readMaterial, type WebhookMaterial, writeMaterial } from './webhook-material.ts';

/** Where the webhook's certificate is kept, and for whom. */
export interface WebhookCertificateSettings {
  readonly namespace: string;
  /** The Secret that all replicas share. */
  readonly secret: string;
  /** The Service in front of the webhook. */
  readonly service: string;
  /** The ValidatingWebhookConfiguration that is told what to trust. */
  readonly configuration: string;
}

interface WebhookCertificateKeeperOptions extends WebhookCertificateSettings {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Only the leader renews and tells the API server; whoever finds nothing to serve makes it. */
  readonly isLeader: () => boolean;
  readonly onError: (error: unknown) => void;
  readonly lifetimeMs?: number;
  readonly settleMs?: number;
  readonly checkMs?: number;
}

const dayMs = 24 * 60 * 60 * 1000;
const retryMs = 1_000;

/**
 * Makes the webhook's certificate, shares it among replicas, has the API server trust it, and renews it before it ends.
 * Level-triggered: each look compares what is there with what should be and takes one step.
 */
export class WebhookCertificateKeeper {
  readonly #options: WebhookCertificateKeeperOptions;
  readonly #names: readonly string[];
  #secret: Secret | undefined;
  #configuration: WebhookConfiguration | undefined;
  #remembered: WebhookMaterial | undefined;

  constructor(options: WebhookCertificateKeeperOptions) {
    this.#options = options;
    const { service, namespace } = options;
    const inside = `${service}.${namespace}`;
    this.#names = [`${inside}.svc`, `${inside}.svc.cluster.local`, inside, service];
  }

  /** The pair to serve now; waits for the first one, and makes it when nobody has. */
  async pair(signal?: AbortSignal): Promise<ListenerKeyPair> {
    while (this.#remembered === undefined) {
      signal?.throwIfAborted();
      try {
        this.#see(await this.#readSecret());
        if (this.#remembered === undefined) await this.#make(undefined);
      } catch (error) {
        if (wasSomebodyElse(error)) continue;
        this.#options.onError(error);
        await this.#options.clock.sleep(retryMs, signal);
      }
    }
    return this.#remembered.pair;
  }

  /** Follows the Secret and the configuration until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { namespace, secret, configuration, clock, checkMs = 5_000, onError } = this.#options;
    let wake: () => void = () => {};
    const follow = <T extends KubeObject>(
      kind: Kind<T>,
      name: string,
      see: (object: T | undefined) => void,
      where: { namespace?: string } = {},
    ) => {
      const informer = new SharedInformer<T>({
        clock,
        onError,
        description: `${kind.kind} ${name}`,
        listerWatcher: listerWatcherOf(this.#options.client, kind, {
          ...where,
          fieldSelector: `metadata.name=${name}`,
        }),
      });
      const changed = (object: T | undefined) => {
        see(object);
        wake();
      };
      const registration = informer.addEventHandler({
        onAdd: changed,
        onUpdate: (_before, after) => changed(after),
        onDelete: () => changed(undefined),
      });
      return { running: informer.run(signal), synced: registration.waitForSync(signal) };
    };
    const followed = [
      follow(kinds.Secret, secret, (one) => this.#see(one), { namespace }),
      follow(kinds.ValidatingWebhookConfiguration, configuration, (one) => {
        this.#configuration = one;
      }),
    ];
    await Promise.all(followed.map(({ synced }) => synced));
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      let isDone = true;
      try {
        isDone = await this.#step();
      } catch (error) {
        // What they did is on its way here.
        if (!wasSomebodyElse(error)) onError(error);
      }
      if (isDone) await clock.sleep(checkMs, AbortSignal.any([signal, woken.signal]));
    }
    await Promise.all(followed.map(({ running }) => running));
  }

  /** Takes one step; true when nothing is left to do for now. */
  async #step(): Promise<boolean> {
    const { clock, isLeader, settleMs = 60_000 } = this.#options;
    const step = nextStep({
      material: this.#secret && readMaterial(this.#secret, this.#names),
      remembered: this.#remembered,
      bundles: this.#configuration?.webhooks?.map(({ clientConfig }) => decoded(clientConfig)),
      now: clock.now(),
      settleMs,
    });
    if (step.kind === 'make') {
      await this.#make(step.before);
      return false;
    }
    if (step.kind === 'wait' || !isLeader()) return true;
    if (step.kind === 'inject') await this.#inject(step.bundle);
    else if (step.kind === 'share') await this.#share(step.material);
    else {
      const next = await this.#newPair();
      const { pair, trusted } = step.material;
      await this.#share({ pair, next, trusted: [next.cert, ...trusted] });
    }
    return false;
  }

  /** Makes the first pair; one that was served before goes on being served until the new one is trusted. */
  async #make(before: WebhookMaterial | undefined): Promise<void> {
    const made = await this.#newPair();
    await this.#share(
      before === undefined
        ? { pair: made, trusted: [made.cert] }
        : { pair: before.pair, next: made, trusted: [made.cert, before.pair.cert] },
    );
  }

  #newPair(): Promise<ListenerKeyPair> {
    const { clock, lifetimeMs = 90 * dayMs } = this.#options;
    return makeServingPair(this.#names, clock.now(), lifetimeMs);
  }

  async #share(material: WebhookMaterial): Promise<void> {
    const { client, namespace, secret: name } = this.#options;
    const resource = client.resource(kinds.Secret);
    const data = writeMaterial(material);
    const labels = {
      'app.kubernetes.io/name': 'waygate',
      'app.kubernetes.io/component': 'webhook',
    };
    const type = 'kubernetes.io/tls';
    // The version of what was read says that nobody wrote in between.
    this.#see(
      this.#secret === undefined
        ? await resource.create({ metadata: { name, namespace, labels }, type, data })
        : await resource.update({ ...this.#secret, data }),
    );
  }

  async #inject(bundle: string): Promise<void> {
    const current = this.#configuration;
    if (current === undefined) return;
    const caBundle = Buffer.from(bundle).toString('base64');
    const webhooks = (current.webhooks ?? []).map((webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle },
    }));
    const resource = this.#options.client.resource(kinds.ValidatingWebhookConfiguration);
    this.#configuration = await resource.update({ ...current, webhooks });
  }

  async #readSecret(): Promise<Secret | undefined> {
    const { client, namespace, secret } = this.#options;
    try {
      const resource = client.resource(kinds.Secret);
      return await resource.get(secret, { namespace });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #see(secret: Secret | undefined): void {
    this.#secret = secret;
    this.#remembered = (secret && readMaterial(secret, this.#names)) ?? this.#remembered;
  }
}

/** Another replica, or an operator, wrote what we were about to. */
function wasSomebodyElse(error: unknown): boolean {
  return isConflict(error) || isAlreadyExists(error) || isNotFound(error);
}

function decoded(config: { readonly caBundle?: string } | undefined): string | undefined {
  return config?.caBundle && Buffer.from(config.caBundle, 'base64').toString('utf8');
}
