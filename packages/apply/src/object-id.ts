import { type KubeObject, parseApiVersion } from '@waygate/schema';
import { ApplyError } from './apply-error.ts';

/** Which object, whatever its version: the identity that an inventory keeps. */
export interface ObjectId {
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly kind: string;
}

/** Their names may hold a colon, which the id writes as two underscores. */
const rbacKinds: ReadonlySet<string> = new Set([
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
]);

/**
 * The id of an object.
 *
 * ```ts
 * objectIdOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } }); // { namespace: 'shop', name: 'web', group: 'apps', kind: 'Deployment' }
 * ```
 */
export function objectIdOf(object: KubeObject): ObjectId {
  const { group } = parseApiVersion(object.apiVersion ?? '');
  return {
    namespace: textOf(object.metadata.namespace),
    name: textOf(object.metadata.name),
    group,
    kind: object.kind ?? '',
  };
}

/**
 * `<namespace>_<name>_<group>_<kind>`, as Flux keeps it in `status.inventory`.
 *
 * ```ts
 * printObjectId(objectIdOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' } })); // 'shop_web_apps_Deployment'
 * ```
 */
export function printObjectId(id: ObjectId): string {
  const isRbac = id.group === 'rbac.authorization.k8s.io' && rbacKinds.has(id.kind);
  const name = isRbac ? id.name.replaceAll(':', '__') : id.name;
  return `${id.namespace}_${name}_${id.group}_${id.kind}`;
}

/**
 * Reads an id. The name is what is left between the first field and the last two, so a name may
 * hold an escaped colon.
 *
 * ```ts
 * parseObjectId('shop_web_apps_Deployment').kind; // 'Deployment'
 * ```
 *
 * @throws ApplyError `WG_APPLY_ID`
 */
export function parseObjectId(text: string): ObjectId {
  const broken = () =>
    new ApplyError('WG_APPLY_ID', `unable to parse stored object metadata: ${text}`);
  const first = text.indexOf('_');
  if (first < 0) throw broken();
  const namespace = text.slice(0, first);
  let rest = text.slice(first + 1);
  const last = rest.lastIndexOf('_');
  if (last < 0) throw broken();
  const kind = rest.slice(last + 1);
  rest = rest.slice(0, last);
  const middle = rest.lastIndexOf('_');
  if (middle < 0) throw broken();
  const group = rest.slice(middle + 1);
  const name = rest.slice(0, middle).replaceAll('__', ':');
  return { namespace, name, group, kind };
}

/**
 * `Kind/namespace/name`, the way in which people are told about an object.
 *
 * ```ts
 * subjectOf({ kind: 'Deployment', namespace: 'shop', name: 'web' }); // 'Deployment/shop/web'
 * ```
 */
export function subjectOf(id: { namespace: string; name: string; kind: string }): string {
  return id.namespace === '' ? `${id.kind}/${id.name}` : `${id.kind}/${id.namespace}/${id.name}`;
}

/**
 * An object as people read it: `Deployment/shop/web`.
 *
 * ```ts
 * subjectOfObject({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: 'shop' } }); // 'Service/shop/web'
 * ```
 */
export function subjectOfObject(object: KubeObject): string {
  return subjectOf(objectIdOf(object));
}

/** Manifests may hold anything: an unquoted `n` is a truth value in YAML 1.1. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
