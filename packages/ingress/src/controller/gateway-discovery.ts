import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { type Clock, listerWatcherOf, SharedInformer } from '@waygate/runtime';
import type { DynamicObject } from '@waygate/schema';
import type { EndpointSlice } from '../objects/service.ts';
import { watchedKindOf } from '../objects/watched-kinds.ts';
import { type AdminAddress, adminAddressesOf } from './admin-address.ts';
import type { GatewaySource } from './gateway-source.ts';

/** How gateways are found: all Pods behind a Service are one each. */
export interface GatewayDiscoverySettings {
  /** `namespace/name` of the Service in front of the Admin APIs. */
  readonly service: string;
  /** Ports with one of these names are Admin APIs. */
  readonly portNames: readonly string[];
  readonly connect: (address: AdminAddress) => AdminClient;
  /** How often each gateway is asked whether it answers. */
  readonly checkIntervalMs?: number;
  readonly checkTimeoutMs?: number;
}

interface GatewayDiscoveryOptions extends GatewayDiscoverySettings {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Another set of gateways answers now. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

interface Known {
  readonly address: AdminAddress;
  readonly client: AdminClient;
  isReady: boolean;
}

const defaultCheckIntervalMs = 10_000;
const defaultCheckTimeoutMs = 5_000;

/**
 * Finds gateways through the EndpointSlices of a Service, and keeps apart those that answer: only
 * they are given configurations. One that comes back is given the configuration at once.
 */
export class GatewayDiscovery implements GatewaySource {
  readonly isDiscovered = true;
  readonly #options: GatewayDiscoveryOptions;
  readonly #known = new Map<string, Known>();
  #ready: readonly AdminClient[] = [];
  #informer: SharedInformer<DynamicObject> | undefined;
  #running: Promise<unknown> | undefined;

  constructor(options: GatewayDiscoveryOptions) {
    this.#options = options;
  }

  gateways(): readonly AdminClient[] {
    return this.#ready;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { client, clock, service, onError } = this.#options;
    const [namespace = '', name = ''] = service.split('/');
    const informer = new SharedInformer<DynamicObject>({
      clock,
      onError,
      description: `endpoints of ${service}`,
      listerWatcher: listerWatcherOf(client, watchedKindOf('EndpointSlice').kind, {
        namespace,
        labelSelector: `kubernetes.io/service-name=${name}`,
        omitManagedFields: true,
      }),
    });
    this.#informer = informer;
    const changed = () => {
      if (informer.hasSynced) void this.#adopt(signal);
    };
    const registration = informer.addEventHandler({
      onAdd: changed,
      onUpdate: changed,
      onDelete: changed,
    });
    this.#running = informer.run(signal);
    await registration.waitForSync(signal);
    await this.#adopt(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, checkIntervalMs = defaultCheckIntervalMs } = this.#options;
    while (await clock.sleep(checkIntervalMs, signal)) await this.#check(signal);
    await this.#running;
    await Promise.all([...this.#known.values()].map(({ client }) => client.close()));
  }

  /** Brings the set of known gateways to what the slices say now. */
  async #adopt(signal: AbortSignal): Promise<void> {
    const { service, portNames, connect } = this.#options;
    const name = service.slice(service.indexOf('/') + 1);
    const names = new Set(portNames);
    const wanted = new Map<string, AdminAddress>();
    for (const slice of this.#informer?.indexer.list() ?? [])
      for (const address of adminAddressesOf(slice as EndpointSlice, name, names))
        wanted.set(address.url, address);
    let isSmaller = false;
    for (const [url, { client, isReady }] of this.#known) {
      if (wanted.has(url)) continue;
      this.#known.delete(url);
      isSmaller ||= isReady;
      void client.close();
    }
    const fresh: Known[] = [];
    for (const [url, address] of wanted) {
      if (this.#known.has(url)) continue;
      const known = { address, client: connect(address), isReady: false };
      this.#known.set(url, known);
      fresh.push(known);
    }
    if (isSmaller) this.#publish();
    await this.#check(signal, fresh);
  }

  async #check(signal: AbortSignal, which = [...this.#known.values()]): Promise<void> {
    let isChanged = false;
    await Promise.all(
      which.map(async (known) => {
        const isReady = await this.#answers(known, signal);
        if (signal.aborted || known.isReady === isReady) return;
        known.isReady = isReady;
        isChanged = true;
      }),
    );
    if (isChanged) this.#publish();
  }

  #publish(): void {
    this.#ready = [...this.#known.values()].flatMap(({ client, isReady }) =>
      isReady ? [client] : [],
    );
    this.#options.onChange();
  }

  async #answers({ client, address }: Known, signal: AbortSignal): Promise<boolean> {
    const timeout = AbortSignal.timeout(this.#options.checkTimeoutMs ?? defaultCheckTimeoutMs);
    try {
      await client.send('GET', '/status', {
        isGlobal: true,
        signal: AbortSignal.any([signal, timeout]),
      });
      return true;
    } catch (error) {
      if (!signal.aborted)
        this.#options.onError(
          new Error(`the Admin API of Pod ${address.pod} does not answer`, { cause: error }),
        );
      return false;
    }
  }
}
