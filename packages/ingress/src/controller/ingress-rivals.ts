import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { type Clock, type EventRecorder, type Rival, RivalLeases } from '@waygate/runtime';
import { kinds, type Lease, type Pod } from '@waygate/schema';

interface IngressRivalsOptions {
  readonly client: KubeClient;
  readonly ingressClass: string;
  /** Our own Lease, `namespace/name`; undefined without an election. */
  readonly ownLease: string | undefined;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly onChange?: ((rival: Rival | undefined) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/** The Lease of Kong Ingress Controller, unless it is told another name. */
const leaseName = '5b374a9e.konghq.com';

/**
 * Looks out for a Kong Ingress Controller that serves the same class. Its Lease does not say which it
 * serves, and several may run in peace: the Pod that holds it is asked.
 */
export function ingressRivals(options: IngressRivalsOptions): RivalLeases<'ingress'> {
  const { client, ingressClass, ownLease, clock, recorder, onError } = options;
  return new RivalLeases<'ingress'>({
    client,
    names: new Map([[leaseName, 'ingress']]),
    isOwn: ({ metadata }) => `${metadata.namespace}/${metadata.name}` === ownLease,
    isRival: (lease, signal) => servesClass(client, lease, ingressClass, signal),
    clock,
    onError,
    onChange: (_part, rival) => {
      options.onChange?.(rival);
      if (rival === undefined) return;
      const [namespace = '', name = ''] = rival.lease.split('/');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
      const message = `ingress stands aside: ${rival.holder} serves the class ${ingressClass}. It takes over when that one stops; --act-beside-others does not wait`;
      recorder.event(lease, 'Warning', 'StandingAside', message);
    },
  });
}

async function servesClass(
  client: KubeClient,
  { metadata, spec }: Lease,
  ingressClass: string,
  signal: AbortSignal,
): Promise<boolean> {
  // The holder is called by its Pod, and something to tell two runs apart.
  const name = (spec?.holderIdentity ?? '').split('_', 1)[0] ?? '';
  if (name === '') return false;
  try {
    const pod = await client
      .resource(kinds.Pod)
      .get(name, { namespace: metadata.namespace }, { signal });
    return classOf(pod) === ingressClass;
  } catch (error) {
    // Whoever cannot be looked at is not known to act on our class.
    if (isNotFound(error) || isForbidden(error)) return false;
    throw error;
  }
}

/** The class that a Pod of Kong Ingress Controller serves; undefined when it is none. */
export function classOf({ spec }: Pod): string | undefined {
  const container = (spec?.containers ?? []).find(({ image = '' }) => {
    const repository = image.split('@', 1)[0]?.replace(/:[^:/]*$/, '') ?? '';
    return /ingress-controller$/.test(repository) && repository.includes('kong');
  });
  if (container === undefined) return undefined;
  const args = [...(container.command ?? []), ...(container.args ?? [])];
  const index = args.findIndex((one) => /^--ingress-class(=|$)/.test(one));
  const given = args[index]?.split('=')[1] ?? (index < 0 ? undefined : args[index + 1]);
  const variable = container.env?.find((one) => one.name === 'CONTROLLER_INGRESS_CLASS')?.value;
  return given ?? variable ?? 'kong';
}
