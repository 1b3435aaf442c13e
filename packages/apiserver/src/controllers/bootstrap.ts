import type { DynamicObject } from '@waygate/schema';
import type { UserInfo } from '../access/user.ts';
import { systemPriorityValues } from '../builtins/further.ts';
import type { Core } from '../core/core.ts';
import { formatTime } from '../decode/time-text.ts';
import { addressText } from '../resources/cluster-settings.ts';
import { createObject, keyOf } from '../rest/object-creation.ts';
import { updateObject } from '../rest/object-update.ts';
import { bootstrapRoles, completedRules, managedByServer } from './bootstrap-roles.ts';

/** The server itself, when it writes. */
export const serverUser: UserInfo = {
  username: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
};

const namespaces = ['kube-system', 'kube-public', 'kube-node-lease', 'default'];

/** Creates what a cluster has from its first moment; what is there already stays as it is. */
export async function bootstrapObjects(core: Core): Promise<void> {
  for (const name of namespaces) {
    await ensure(
      core,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      'kube-apiserver',
    );
  }
  await writeRoles(core, bootstrapRoles());
  await ensure(core, kubernetesService(core), 'kube-apiserver');
  for (const object of systemPriorities()) await ensure(core, object, 'kube-apiserver');
}

/** The address under which pods would find the API. */
function kubernetesService({ settings }: Core): DynamicObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      clusterIP: addressText(settings.serviceAddresses.first),
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    },
  };
}

/** The classes of the pods without which there is no cluster. */
function systemPriorities(): DynamicObject[] {
  const descriptions: Readonly<Record<string, string>> = {
    'system-cluster-critical': 'run in the cluster, but can be moved to another node if necessary.',
    'system-node-critical': 'not be moved from their current node.',
  };
  return Object.entries(systemPriorityValues).map(([name, value]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description: `Used for system critical pods that must ${descriptions[name]}`,
  }));
}

/**
 * Roles and bindings are many, and known to be good: those that are missing are written side by side,
 * past all gates, so that a start takes no longer for them.
 */
async function writeRoles(core: Core, objects: readonly DynamicObject[]): Promise<void> {
  const writes: Promise<unknown>[] = [];
  const creationTimestamp = formatTime(core.now());
  for (const object of objects) {
    const resource = core.registry.findKind('rbac.authorization.k8s.io', 'v1', object.kind ?? '');
    if (resource === undefined) continue;
    const { collection } = resource;
    const key = keyOf(object.metadata.namespace ?? '', object.metadata.name ?? '');
    if (core.store.getHead(collection, key) !== undefined) {
      await completeRole(core, object);
      continue;
    }
    const { metadata, ...body } = object;
    const managedFields = managedByServer(object, creationTimestamp);
    const stamped = { ...metadata, uid: core.uuid(), creationTimestamp, managedFields };
    const whole = { ...body, metadata: stamped } as DynamicObject;
    writes.push(core.store.write({ collection, key, expected: undefined, object: whole }));
  }
  await Promise.all(writes);
}

/** What an older server created gets the rules that have come since. */
async function completeRole(core: Core, wanted: DynamicObject): Promise<void> {
  if (wanted.kind !== 'ClusterRole' && wanted.kind !== 'Role') return;
  const resource = core.registry.findKind('rbac.authorization.k8s.io', 'v1', wanted.kind);
  if (resource === undefined) return;
  const { name = '', namespace = '' } = wanted.metadata;
  const found = core.store.getHead(resource.collection, keyOf(namespace, name))?.object;
  const rules = found === undefined ? undefined : completedRules(wanted, found);
  if (rules === undefined) return;
  await overwriteFields(core, resource, { namespace, name }, { rules });
}

/** Writes fields of an object of the server's own, as the server. */
export async function overwriteFields(
  core: Core,
  resource: Parameters<typeof updateObject>[1]['resource'],
  { namespace, name }: { readonly namespace: string; readonly name: string },
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  await updateObject(core, {
    resource,
    subresource: '',
    namespace,
    name,
    user: serverUser,
    fieldManager: 'kube-apiserver',
    isDryRun: false,
    warn: () => undefined,
    transform: (current) => Object.assign(current, structuredClone(fields)),
  });
}

/** Creates an object unless there is one of its name. */
export async function ensure(
  core: Core,
  object: DynamicObject,
  fieldManager: string,
): Promise<void> {
  const slash = (object.apiVersion ?? '').lastIndexOf('/');
  const group = slash < 0 ? '' : (object.apiVersion as string).slice(0, slash);
  const version = (object.apiVersion as string).slice(slash + 1);
  const resource = core.registry.findKind(group, version, object.kind ?? '');
  if (resource === undefined)
    throw new Error(`there is no kind ${object.apiVersion} ${object.kind}`);
  const namespace = object.metadata.namespace ?? '';
  const key = keyOf(namespace, object.metadata.name ?? '');
  if (core.store.getHead(resource.collection, key) !== undefined) return;
  resource.strategy.applyDefaults?.(object);
  await createObject(core, {
    resource,
    namespace,
    object,
    user: serverUser,
    fieldManager,
    isDryRun: false,
    warn: () => undefined,
  });
}
