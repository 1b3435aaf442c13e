import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { isObject } from '@waygate/text';
import type { ObjectCondition } from '../protocol/pages.ts';
import type { Health, ShownObject } from '../protocol/reference.ts';
import { objectKey } from './object-key.ts';

/** As much of an object as the pages that show many need to know. */
export interface SeenObject {
  readonly key: string;
  readonly object: ShownObject;
  readonly uid: string;
  readonly createdAt: number;
  readonly stage: 'source' | 'kustomization' | 'object';
  readonly isSuspended: boolean;
  readonly conditions: readonly ObjectCondition[];
  /** Of a source, what it offers; of a Kustomization, what it has applied: `main@sha1:…`. */
  readonly revision?: string;
  /** Of a source: where it is from, without a password. */
  readonly url?: string;
  /** Of a Kustomization: the key of its source, and the objects that it has applied. */
  readonly source?: ShownObject;
  readonly inventory?: readonly ShownObject[];
  /** Of an Ingress: its class. Of an IngressClass: the controller that serves it. */
  readonly ingressClass?: string;
}

const sourceGroup = 'source.toolkit.fluxcd.io';
const appliers: ReadonlySet<string> = new Set([
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'helm.toolkit.fluxcd.io/HelmRelease',
]);

/**
 * Reads what the view needs from an object as the API sent it; whatever it holds, nothing is thrown.
 *
 * ```ts
 * const conditions = [{ type: 'Ready', status: 'False', reason: 'BuildFailed', message: 'no such file' }];
 * const object = {
 *   apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
 *   kind: 'Kustomization',
 *   metadata: { name: 'apps', namespace: 'flux-system' },
 *   status: { conditions },
 * };
 * const { stage, conditions: [ready] } = seenObject(object);
 * [stage, ready?.reason]; // ['kustomization', 'BuildFailed']
 * ```
 */
export function seenObject(object: KubeObject): SeenObject {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const { name = '', namespace = '', uid = '', creationTimestamp } = object.metadata;
  const shown: ShownObject = { group, version, kind: object.kind ?? '', namespace, name };
  const content = object as { readonly spec?: unknown; readonly status?: unknown };
  const spec = recordOf(content.spec);
  const status = recordOf(content.status);
  const stage = stageOf(shown);
  const revision = revisionOf(stage, status);
  const url = stage === 'source' ? textOf(spec.url) : undefined;
  const ingressClass = ingressClassOf(shown, object);
  return {
    key: objectKey(shown),
    object: shown,
    uid,
    createdAt: timeOf(creationTimestamp) ?? 0,
    stage,
    isSuspended: stage !== 'object' && spec.suspend === true,
    conditions: conditionsOf(status),
    ...(revision === undefined ? {} : { revision }),
    ...(url === undefined ? {} : { url: withoutPassword(url) }),
    ...(stage === 'kustomization' ? applierOf(shown, spec, status) : {}),
    ...(ingressClass === undefined ? {} : { ingressClass }),
  };
}

/** The annotation that had the class before the field came. */
export const classAnnotation = 'kubernetes.io/ingress.class';

function ingressClassOf({ group, kind }: ShownObject, object: KubeObject): string | undefined {
  if (group !== 'networking.k8s.io') return undefined;
  const spec = recordOf((object as { readonly spec?: unknown }).spec);
  if (kind === 'IngressClass') return textOf(spec.controller);
  if (kind !== 'Ingress') return undefined;
  return textOf(spec.ingressClassName) ?? object.metadata.annotations?.[classAnnotation];
}

/** A user and a password in an address are nobody's business here. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//***@');
}

/** How an object does, by its conditions; what has none says nothing. */
export function healthOf(seen: SeenObject): { readonly health: Health; readonly reason?: string } {
  const { conditions } = seen;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  if (seen.isSuspended) return { health: 'suspended', reason: 'suspended' };
  const bad = badCondition(seen);
  if (bad !== undefined) return { health: 'degraded', reason: bad.message ?? bad.reason ?? '' };
  const ready = find('Ready');
  if (ready?.status === 'Unknown' || find('Reconciling')?.status === 'True')
    return { health: 'progressing', reason: ready?.message ?? 'in progress' };
  // That it is wrong was asked before.
  const pending = conditions.find(isNotWell);
  if (pending !== undefined)
    return { health: 'progressing', reason: pending.message ?? 'in progress' };
  const isWell = conditions.some(({ type, status }) => status === 'True' && wellTypes.has(type));
  return { health: isWell ? 'healthy' : 'unknown' };
}

/** The condition that says what is wrong, if one does: why it is not ready, rather than how often that was tried. */
export function badCondition({ conditions }: SeenObject): ObjectCondition | undefined {
  return (
    conditions.find((condition) => isNotWell(condition) && condition.reason !== onItsWay) ??
    conditions.find(({ type, status }) => type === 'Stalled' && status === 'True')
  );
}

const wellTypes: ReadonlySet<string> = new Set(['Ready', 'Accepted', 'ResolvedRefs', 'Programmed']);

function isNotWell({ type, status }: ObjectCondition): boolean {
  return wellTypes.has(type) && status === 'False';
}

/** The reason of a condition that is not true yet: every object is so for a moment, and nothing is wrong. */
const onItsWay = 'Pending';

function stageOf({ group, kind }: ShownObject): SeenObject['stage'] {
  if (group === sourceGroup) return 'source';
  return appliers.has(`${group}/${kind}`) ? 'kustomization' : 'object';
}

function revisionOf(
  stage: SeenObject['stage'],
  status: Readonly<Record<string, unknown>>,
): string | undefined {
  if (stage === 'source') return textOf(recordOf(status.artifact).revision);
  return stage === 'kustomization' ? textOf(status.lastAppliedRevision) : undefined;
}

function applierOf(
  { namespace: own }: ShownObject,
  spec: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, unknown>>,
): Pick<SeenObject, 'source' | 'inventory'> {
  const chart = recordOf(recordOf(spec.chart).spec);
  const reference = recordOf(spec.sourceRef ?? spec.chartRef ?? chart.sourceRef);
  const { entries } = recordOf(status.inventory);
  const inventory = (Array.isArray(entries) ? entries : []).flatMap((entry) => {
    const object = inventoryObject(recordOf(entry));
    return object === undefined ? [] : [object];
  });
  const kind = textOf(reference.kind);
  const name = textOf(reference.name);
  if (kind === undefined || name === undefined) return { inventory };
  const namespace = textOf(reference.namespace) ?? own;
  const source = { group: sourceGroup, version: 'v1', kind, namespace, name };
  return { source, inventory };
}

/** `shop_web_networking.k8s.io_Ingress`, with the version beside it; a colon in a name is two underscores. */
function inventoryObject(entry: Readonly<Record<string, unknown>>): ShownObject | undefined {
  const match = /^([^_]*)_(.+)_([^_]*)_([^_]+)$/.exec(textOf(entry.id) ?? '');
  if (match === null) return undefined;
  const [, namespace = '', name = '', group = '', kind = ''] = match;
  return {
    group,
    version: textOf(entry.v) ?? '',
    kind,
    namespace,
    name: name.replaceAll('__', ':'),
  };
}

/** Those of the object, and those that each parent of a route of the Gateway API gave it. */
function conditionsOf(status: Readonly<Record<string, unknown>>): readonly ObjectCondition[] {
  const parents = Array.isArray(status.parents) ? status.parents : [];
  const lists = [status.conditions, ...parents.map((parent) => recordOf(parent).conditions)];
  return lists.flatMap((list) => (Array.isArray(list) ? list.flatMap(conditionOf) : []));
}

function conditionOf(value: unknown): readonly ObjectCondition[] {
  const { type, status, reason, message, lastTransitionTime } = recordOf(value);
  if (typeof type !== 'string' || typeof status !== 'string') return [];
  const at = timeOf(lastTransitionTime);
  return [
    {
      type,
      status,
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(typeof message === 'string' ? { message } : {}),
      ...(at === undefined ? {} : { at }),
    },
  ];
}

/** Milliseconds since 1970 of a time as the API writes it. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
