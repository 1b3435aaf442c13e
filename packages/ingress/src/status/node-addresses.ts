import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { LoadBalancerIngress } from '../objects/ingress.ts';
import { addressOf, compareAddresses } from './addresses.ts';

/** The Pod that a controller runs in, as the downward API names it. */
export interface PodReference {
  readonly namespace: string;
  readonly name: string;
}

interface Replicas {
  /** The running Pods with the labels of ours, ours included. */
  readonly count: number;
  /** The addresses of the nodes that they run on. */
  readonly nodeAddresses: readonly LoadBalancerIngress[];
}

/** Labels that differ between replicas, or between versions of one Deployment. */
const revisionLabels = new Set([
  'controller-revision-hash',
  'pod-template-generation',
  'pod-template-hash',
]);

/** Looks at the Pods that are replicas of this one, and at their nodes. */
export async function replicasOf(
  client: KubeClient,
  { namespace, name }: PodReference,
  signal: AbortSignal,
): Promise<Replicas> {
  const pods = client.resource(kinds.Pod);
  const own = await pods.get(name, { namespace }, { signal });
  const labelSelector = Object.entries(own.metadata.labels ?? {})
    .filter(([key]) => !revisionLabels.has(key))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const { items } =
    labelSelector === ''
      ? { items: [own] }
      : await pods.list({ namespace, labelSelector }, { signal });
  const running = items.filter(({ status }) => status?.phase === 'Running');
  const nodes = new Set(running.flatMap(({ spec }) => spec?.nodeName ?? []));
  const addresses = new Map<string, LoadBalancerIngress>();
  for (const node of nodes) {
    const address = await nodeAddress(client, node, signal);
    if (address !== undefined) addresses.set(address, addressOf(address));
  }
  return {
    count: running.length,
    nodeAddresses: [...addresses.values()].sort(compareAddresses),
  };
}

/** How a node is reached from outside, or else from inside. */
async function nodeAddress(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const node = await client.resource(kinds.Node).get(name, {}, { signal });
  const addresses = node.status?.addresses ?? [];
  const ofType = (wanted: string) =>
    addresses.find(({ type, address }) => type === wanted && address !== '')?.address;
  return ofType('ExternalIP') ?? ofType('InternalIP');
}
