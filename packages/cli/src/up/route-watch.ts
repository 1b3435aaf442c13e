import type { NginxOptions } from '@waygate/ingress';
import type { KubeClient } from '@waygate/kube';
import { createInformer, type SharedInformer } from '@waygate/runtime';
import { type Kind, type KubeObject, kinds } from '@waygate/schema';
import { unservedRoutes } from '../check/unserved-routes.ts';
import { gatewayKind, httpRouteKind } from './gateway-kinds.ts';
import type { UpProblem } from './problem-board.ts';

const settleMs = 100;

/** Watches for routes that will never come into force, and says why, until the signal aborts. */
export async function watchUnservedRoutes(
  client: KubeClient,
  { nginx }: { readonly nginx: NginxOptions | undefined },
  onProblems: (problems: readonly UpProblem[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const followed = [
    kinds.Ingress as Kind<KubeObject>,
    kinds.IngressClass as Kind<KubeObject>,
    httpRouteKind,
    gatewayKind,
  ];
  // Objects lose here what is not asked for: statuses and managed fields are most of them.
  const transform = (object: KubeObject): KubeObject =>
    ({
      ...object,
      status: undefined,
      metadata: { ...object.metadata, managedFields: undefined },
    }) as unknown as KubeObject;
  const informers: { kind: string; informer: SharedInformer<KubeObject> }[] = followed.map(
    (kind) => ({
      kind: kind.kind,
      informer: createInformer(client, kind, { transform }),
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const objects = informers.flatMap(({ kind, informer }) =>
      informer.indexer.list().map((object) => ({ ...object, kind })),
    );
    onProblems(
      unservedRoutes(objects, { ingressClass: 'kong', hasAllGateways: true, nginx }).map(problemOf),
    );
  };
  const changed = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) look();
    }, settleMs);
  };
  try {
    await Promise.all(
      informers.map(({ informer }) => {
        informer.addEventHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
        return informer.run(signal);
      }),
    );
  } finally {
    clearTimeout(timer);
  }
}

function problemOf({
  object,
  field,
  message,
  fix,
}: ReturnType<typeof unservedRoutes>[number]): UpProblem {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.namespace}/${metadata.name}`;
  return { key: `${name} ${field}`, object: name, field, message, fix };
}
