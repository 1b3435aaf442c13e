import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import {
  type Clock,
  type EventRecorder,
  type Rival,
  RivalLeases,
  RivalWriters,
  rivalText,
} from '@waygate/runtime';
import { type Ingress, type KubeObject, kinds, type Lease, type Pod } from '@waygate/schema';
import { routeKinds } from '../objects/kind-id.ts';
import type { ObjectReader } from '../store/object-reader.ts';
import { isIngressOfClass } from '../translate/ingress-class.ts';

interface IngressRivalsOptions {
  readonly client: KubeClient;
  readonly ingressClass: string;
  /** Our own Lease, `namespace/name`; undefined without an election. */
  readonly ownLease: string | undefined;
  /** In how many namespaces there are routes of ours. */
  readonly namespaces: () => number;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly onChange?: ((rival: Rival | undefined) => void) | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * What the Lease of a Kong Ingress Controller may be called: as it calls it itself, as Kong's Helm chart has it
 * called, and as we call ours, which has the old one's settings.
 */
function leaseNames(ingressClass: string, ownLease: string | undefined): readonly string[] {
  const ownName = ownLease?.split('/')[1];
  return [
    '5b374a9e.konghq.com',
    `kong-ingress-controller-leader-${ingressClass}`,
    ...(ownName === undefined ? [] : [ownName]),
  ];
}

/**
 * What it calls itself when it writes statuses: the name of its program, unless it is told another. Many
 * programs are called `manager`; that one of them undoes what we wrote to objects of our class is the
 * evidence, not the name.
 */
const managers = new Set(['manager', 'kong-ingress-controller', 'kubernetes-ingress-controller']);

/** It writes again as soon as we do: who has not for so long is looked for by writing again. */
const holdMs = 600_000;

/**
 * Looks out for a Kong Ingress Controller that serves the same class. Its Lease does not say which it
 * serves, and several may run in peace: the Pod that holds it is asked. Without a database it holds no
 * Lease at all, and is known by the statuses that it writes over ours.
 */
export class IngressRivals {
  readonly leases: RivalLeases<'ingress'>;
  readonly #writers: RivalWriters<'ingress'>;
  readonly #options: IngressRivalsOptions;

  constructor(options: IngressRivalsOptions) {
    const { client, ingressClass, ownLease, clock, onError } = options;
    this.#options = options;
    this.leases = new RivalLeases<'ingress'>({
      client,
      names: new Map(leaseNames(ingressClass, ownLease).map((name) => [name, 'ingress'])),
      isOwn: ({ metadata }) => `${metadata.namespace}/${metadata.name}` === ownLease,
      isRival: (lease, signal) => servesClass(client, lease, ingressClass, signal),
      clock,
      onError,
      onChange: (_part, rival) => {
        // Who is still seen to write has not left with its Lease.
        options.onChange?.(rival ?? this.#writers.of('ingress'));
        if (rival === undefined) return;
        const [namespace = '', name = ''] = rival.lease.split('/');
        const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
        this.#warn(lease, rival);
      },
    });
    this.#writers = new RivalWriters<'ingress'>({
      threshold: ownLease === undefined ? 2 : 4,
      namespaces: options.namespaces,
      clock,
      onChange: (_part, rival) => {
        if (this.leases.of('ingress') === undefined) options.onChange?.(rival);
      },
    });
  }

  /** Who acts in our place now. */
  get current(): Rival | undefined {
    return this.leases.of('ingress') ?? this.#writers.of('ingress');
  }

  /** Calls back at every change, until what it gives back is called. */
  onChange(listener: () => void): () => void {
    const forgets = [this.leases.onChange(listener), this.#writers.onChange(listener)];
    return () => {
      for (const forget of forgets) forget();
    };
  }

  /** Somebody changed a status that we had written. */
  sawUndone(object: KubeObject): void {
    const statuses = (object.metadata.managedFields ?? []).filter(
      ({ subresource }) => subresource === 'status',
    );
    const last = statuses.reduce<(typeof statuses)[number] | undefined>(
      (latest, one) => (String(one.time) >= String(latest?.time ?? '') ? one : latest),
      undefined,
    );
    const { manager = '' } = last ?? {};
    if (!managers.has(manager)) return;
    const { kind = '', metadata } = object;
    const before = this.#writers.of('ingress');
    const name = `${kind} ${metadata.namespace}/${metadata.name}`;
    const { namespace = '' } = metadata;
    this.#writers.saw('ingress', { manager, object: name, namespace, holdMs });
    const rival = this.#writers.of('ingress');
    if (before === undefined && rival !== undefined) this.#warn(object, rival);
  }

  #warn(about: Parameters<EventRecorder['event']>[0], rival: Rival): void {
    const { ingressClass, recorder } = this.#options;
    const message = `ingress stands aside: ${rivalText(rival)} and serves the class ${ingressClass}. It takes over when that one stops; --act-beside-others does not wait`;
    recorder.event(about, 'Warning', 'StandingAside', message);
  }
}

/** In how many namespaces there are objects whose status we write: a rival writes to all of them. */
export function servedNamespaces(reader: ObjectReader, ingressClass: string): number {
  const ingresses = reader
    .list<Ingress>('Ingress')
    .filter((one) => isIngressOfClass(reader, one, ingressClass));
  const routes = routeKinds.flatMap((kind) => reader.list<KubeObject>(kind));
  return new Set([...ingresses, ...routes].map(({ metadata }) => metadata.namespace)).size;
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
