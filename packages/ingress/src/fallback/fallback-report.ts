import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { affectedBy } from './exclude-broken.ts';
import type { ObjectId } from './object-graph.ts';

/** An object that a fallback is about, in the words of Kong Ingress Controller's diagnostics. */
export interface AffectedObject {
  readonly group: string;
  readonly kind: string;
  readonly version?: string;
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
  /** The broken objects that it depends on, `group/kind:namespace/name`. */
  readonly causingObjects?: readonly string[];
}

/** What is held back from the gateways now, and why. */
export interface FallbackReport {
  readonly status: 'triggered' | 'not-triggered';
  readonly brokenObjects?: readonly AffectedObject[];
  readonly excludedObjects?: readonly AffectedObject[];
  /** Those of which the last good version stays in force. */
  readonly backfilledObjects?: readonly AffectedObject[];
}

export interface HeldBack {
  readonly cluster: ReadonlyMap<ObjectId, KubeObject>;
  readonly broken: ReadonlyMap<ObjectId, KubeObject>;
  readonly excluded: ReadonlySet<ObjectId>;
  readonly ingressClass: string;
}

export function fallbackReport({
  cluster,
  broken,
  excluded,
  ingressClass,
}: HeldBack): FallbackReport {
  if (broken.size === 0) return { status: 'not-triggered' };
  const objects = [...cluster.values()];
  const causes = new Map<ObjectId, string[]>();
  for (const [id, object] of broken) {
    if (!excluded.has(id)) continue;
    for (const affected of affectedBy(objects, new Set([id]), ingressClass)) {
      const known = causes.get(affected);
      if (known === undefined) causes.set(affected, [placeOf(object)]);
      else known.push(placeOf(object));
    }
  }
  const excludedObjects = [...excluded].flatMap((id) => {
    const object = cluster.get(id);
    return object === undefined ? [] : [affected(object, causes.get(id))];
  });
  const backfilled = [...broken].filter(([id]) => !excluded.has(id));
  return {
    status: 'triggered',
    brokenObjects: [...broken.values()].map((object) => affected(object)),
    ...(excludedObjects.length > 0 && { excludedObjects }),
    ...(backfilled.length > 0 && {
      backfilledObjects: backfilled.map(([, object]) => affected(object, [placeOf(object)])),
    }),
  };
}

function affected(object: KubeObject, causingObjects?: readonly string[]): AffectedObject {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return {
    group,
    kind: object.kind ?? '',
    version,
    namespace,
    name,
    id: uid,
    ...(causingObjects && { causingObjects }),
  };
}

function placeOf(object: KubeObject): string {
  const { group } = parseApiVersion(object.apiVersion ?? '');
  const { namespace, name = '' } = object.metadata;
  return `${group}/${object.kind}:${namespace ? `${namespace}/` : ''}${name}`;
}
