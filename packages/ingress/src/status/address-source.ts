import type { KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import type { Service } from '../objects/service.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { publishedAddresses } from './addresses.ts';
import { type PodReference, replicasOf } from './node-addresses.ts';

export interface AddressSettings {
  /** Addresses that statuses show. */
  readonly publishStatusAddress?: readonly string[] | undefined;
  /** Else those of this Service, `namespace/name`. */
  readonly publishService?: string | undefined;
  /** The same for UDP; where nothing is said, it has the addresses of the others. */
  readonly publishStatusAddressUdp?: readonly string[] | undefined;
  readonly publishServiceUdp?: string | undefined;
  /** With nothing else to go by, the nodes of this Pod and its replicas are shown. */
  readonly pod?: PodReference | undefined;
  /** A Service without a load balancer stands for the nodes of its Pods, as in 0.8. */
  readonly prefersNodes?: boolean | undefined;
}

export interface PublishedAddresses {
  readonly tcp: readonly LoadBalancerIngress[];
  readonly udp: readonly LoadBalancerIngress[];
}

/** Pods move between nodes rarely, and nothing tells us when. */
const nodePeriodMs = 60_000;

/** Where users reach the gateway, by whatever way the operator chose to say it. */
export class AddressSource {
  readonly #settings: AddressSettings;
  #nodes: readonly LoadBalancerIngress[] = [];

  constructor(settings: AddressSettings) {
    this.#settings = settings;
  }

  addresses(reader: ObjectReader): PublishedAddresses {
    const { publishStatusAddress = [], publishService = '' } = this.#settings;
    const { publishStatusAddressUdp = [], publishServiceUdp = '' } = this.#settings;
    const tcp = this.#resolve(reader, publishStatusAddress, publishService);
    const isOwn = publishStatusAddressUdp.length > 0 || publishServiceUdp !== '';
    const udp = isOwn ? this.#resolve(reader, publishStatusAddressUdp, publishServiceUdp) : tcp;
    return { tcp, udp };
  }

  /** Keeps the addresses of nodes true, if they are what counts, until the signal aborts. */
  async run(
    client: KubeClient,
    clock: Clock,
    signal: AbortSignal,
    onChange: () => void,
    onError: (error: unknown) => void,
  ): Promise<void> {
    const { pod, publishService, publishStatusAddress = [], prefersNodes } = this.#settings;
    const isNeeded = publishStatusAddress.length === 0 && (!publishService || prefersNodes);
    if (pod === undefined || !isNeeded) return;
    do {
      try {
        const { nodeAddresses } = await replicasOf(client, pod, signal);
        const isSame = JSON.stringify(nodeAddresses) === JSON.stringify(this.#nodes);
        this.#nodes = nodeAddresses;
        if (!isSame) onChange();
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
    } while (await clock.sleep(nodePeriodMs, signal));
  }

  #resolve(
    reader: ObjectReader,
    given: readonly string[],
    serviceKey: string,
  ): readonly LoadBalancerIngress[] {
    if (given.length === 0 && serviceKey === '') return this.#nodes;
    const [namespace = '', name = ''] = serviceKey.split('/');
    const service = reader.get<Service>('Service', namespace, name);
    const isForNodes =
      given.length === 0 &&
      this.#settings.prefersNodes === true &&
      service !== undefined &&
      service.spec?.type !== 'LoadBalancer';
    return isForNodes ? this.#nodes : publishedAddresses(given, service);
  }
}
