import type { DynamicObject } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import { type Core, strategyContext } from '../core/core.ts';
import { formatTime } from '../decode/time-text.ts';
import type { Resource } from '../resources/resource.ts';
import { plainDeletion } from '../rest/delete-options.ts';
import { createObject, keyOf } from '../rest/object-creation.ts';
import { deleteObject } from '../rest/object-deletion.ts';
import { updateObject } from '../rest/object-update.ts';
import { serverUser } from './bootstrap.ts';
import { Controller } from './controller.ts';

const group = 'apiregistration.k8s.io';
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
const quiet = () => undefined;

/** How much each built-in group counts where names of kinds are the same in several; others come after all of them. */
const priorities: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};
const versionPriorities: Readonly<Record<string, number>> = {
  'v1.': 1,
  'v2.autoscaling': 30,
  'v1.flowcontrol.apiserver.k8s.io': 21,
  'v1.resource.k8s.io': 21,
};

/**
 * Writes those of the built-in versions that are missing. They are many, and known to be good: they are written side by
 * side, past all gates.
 */
export async function bootstrapApiServices(core: Core): Promise<void> {
  const resource = core.registry.find(group, 'v1', 'apiservices');
  if (resource === undefined) return;
  const { collection, strategy } = resource;
  const time = formatTime(core.now());
  const context = strategyContext(core, serverUser);
  const writes: Promise<unknown>[] = [];
  for (const key of servedNames(core.registry, true)) {
    if (core.store.getHead(collection, key) !== undefined) continue;
    const object = localService(key, false);
    object.metadata.managedFields = ownFields(object, time);
    Object.assign(object.metadata, { uid: core.uuid(), creationTimestamp: time });
    strategy.prepareForCreate?.(object, context);
    writes.push(core.store.write({ collection, key, expected: undefined, object }));
  }
  await Promise.all(writes);
}

/** The names of the versions that are served; APIServices themselves have none. */
function servedNames(registry: Core['registry'], isBuiltin: boolean): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of registry.all()) {
    if (each.isCustom === isBuiltin || each.group === group) continue;
    names.add(`${each.version}.${each.group}`);
  }
  return names;
}

/** One that says that this server itself answers for a version. */
function localService(name: string, isCustom: boolean): DynamicObject {
  const dot = name.indexOf('.');
  const [version, of] = [name.slice(0, dot), name.slice(dot + 1)];
  return {
    apiVersion: `${group}/v1`,
    kind: 'APIService',
    metadata: { name, labels: { [managedLabel]: isCustom ? 'true' : 'onstart' } },
    spec: {
      ...(of === '' ? {} : { group: of }),
      version,
      groupPriorityMinimum: isCustom ? 1000 : (priorities[of] ?? 1000),
      versionPriority: isCustom ? 100 : (versionPriorities[name] ?? 15),
    },
  };
}

/** The books on it, as an ordinary creation would make them. */
function ownFields(
  { apiVersion = '', metadata, spec }: DynamicObject,
  time: string,
): NonNullable<DynamicObject['metadata']['managedFields']> {
  const fieldsOf = (values: object): Fields =>
    Object.fromEntries(
      Object.keys(values)
        .sort()
        .map((key) => [`f:${key}`, {}]),
    );
  const fieldsV1 = {
    'f:metadata': { 'f:labels': { '.': {}, ...fieldsOf(metadata.labels ?? {}) } },
    'f:spec': fieldsOf(spec as Fields),
  };
  const writer = { manager: 'kube-apiserver', operation: 'Update', apiVersion } as const;
  return [{ ...writer, time, fieldsType: 'FieldsV1', fieldsV1 }];
}

/**
 * Keeps an APIService for each version of each group that is served, as clients look there for what there is: the
 * built-in ones from the start, those of definitions for as long as these are there.
 */
export class ApiServiceController extends Controller {
  /** Those that name a Service, of which only these are asked for again when a Service comes or goes. */
  readonly #remote = new Set<string>();

  start(): void {
    const { registry, store } = this.core;
    const resource = this.#resource();
    if (resource === undefined) return;
    this.follow(resource.collection, ({ entry, type }) => {
      if (type === 'DELETED') this.#remote.delete(entry.name);
      this.enqueue(entry.name);
    });
    this.follow('services', () => {
      for (const name of this.#remote) this.enqueue(name);
    });
    this.onStop(
      registry.onChange(() => {
        this.#servedNames = undefined;
        this.#enqueueCustom();
      }),
    );
    for (const name of this.#served(true)) this.enqueue(name);
    for (const entry of store.collection(resource.collection).entries()) this.enqueue(entry.name);
    this.#enqueueCustom();
  }

  /** What definitions brought, and what is left of those that went. */
  #enqueueCustom(): void {
    const wanted = this.#served(false);
    for (const name of wanted) {
      if (this.#find(name) === undefined) this.enqueue(name);
    }
    const { collection } = this.#resource() as Resource;
    for (const entry of this.core.store.collection(collection).entries()) {
      if (isManaged(entry.object, 'true') && !wanted.has(entry.name)) this.enqueue(entry.name);
    }
  }

  protected async reconcile(name: string): Promise<void> {
    const found = this.#find(name);
    const isCustom = this.#served(false).has(name);
    if (found === undefined) {
      // A built-in one that somebody deleted is made again at the next start only.
      if (isCustom || (this.#served(true).has(name) && !this.#made.has(name)))
        await this.#create(name, isCustom);
      return;
    }
    this.#made.add(name);
    if (isManaged(found, 'true') && !isCustom) return this.#delete(name);
    if (specOf(found).service === undefined) return;
    this.#remote.add(name);
    await this.#judge(name, found);
  }

  /** Built-in ones that were there once since the start. */
  readonly #made = new Set<string>();

  #resource(): Resource | undefined {
    return this.core.registry.find(group, 'v1', 'apiservices');
  }

  #find(name: string): Readonly<DynamicObject> | undefined {
    const { collection } = this.#resource() as Resource;
    return this.core.store.getHead(collection, keyOf('', name))?.object;
  }

  /** Those of definitions and the built-in ones, until another kind is served. */
  #servedNames: Readonly<Record<'custom' | 'builtIn', ReadonlySet<string>>> | undefined;

  #served(isBuiltin: boolean): ReadonlySet<string> {
    this.#servedNames ??= {
      custom: servedNames(this.core.registry, false),
      builtIn: servedNames(this.core.registry, true),
    };
    return this.#servedNames[isBuiltin ? 'builtIn' : 'custom'];
  }

  async #create(name: string, isCustom: boolean): Promise<void> {
    await createObject(this.core, {
      resource: this.#resource() as Resource,
      namespace: '',
      object: localService(name, isCustom),
      user: serverUser,
      fieldManager: 'kube-apiserver',
      isDryRun: false,
      warn: quiet,
    });
  }

  async #delete(name: string): Promise<void> {
    await deleteObject(this.core, {
      resource: this.#resource() as Resource,
      namespace: '',
      name,
      user: serverUser,
      options: plainDeletion,
      warn: quiet,
    });
  }

  /** Whoever names a Service is told that it is not asked: this server answers for itself alone. */
  async #judge(name: string, found: Readonly<DynamicObject>): Promise<void> {
    const service = objectAt(specOf(found), 'service');
    const [namespace, called] = [textAt(service, 'namespace'), textAt(service, 'name')];
    const isThere = this.core.store.getHead('services', keyOf(namespace, called)) !== undefined;
    const said = isThere
      ? ['FailedDiscoveryCheck', 'this API answers for itself and calls no other server']
      : ['ServiceNotFound', `service/${called} in "${namespace}" is not present`];
    const [reason, message] = said as [string, string];
    const before = listAt(objectAt(found, 'status'), 'conditions').find(
      ({ type }) => type === 'Available',
    );
    if (before?.message === message) return;
    const lastTransitionTime =
      before?.status === 'False' ? before.lastTransitionTime : formatTime(this.core.now());
    const resource = this.#resource() as Resource;
    await updateObject(this.core, {
      resource: {
        ...resource,
        strategy: { ...resource.strategy, allowsUnconditionalUpdate: true },
      },
      namespace: '',
      name,
      subresource: 'status',
      user: serverUser,
      fieldManager: 'kube-apiserver',
      isDryRun: false,
      warn: quiet,
      transform: (current: DynamicObject) => {
        current.status = {
          conditions: [{ type: 'Available', status: 'False', lastTransitionTime, reason, message }],
        };
        delete current.metadata.resourceVersion;
        return current;
      },
    });
  }
}

function specOf(object: Readonly<DynamicObject>): Fields {
  return objectAt(object, 'spec');
}

function isManaged(object: Readonly<DynamicObject>, how: string): boolean {
  return object.metadata.labels?.[managedLabel] === how;
}
