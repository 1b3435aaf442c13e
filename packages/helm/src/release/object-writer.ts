import {
  createThreeWayMergePatch,
  type DynamicObject,
  parseApiVersion,
  patchSchemaOf,
  type SchemaNode,
  schemaOf,
} from '@waygate/schema';
import { createMergePatch, isObject } from '@waygate/text';
import type { HelmMajor } from '../engine/values-type.ts';
import { HelmError } from '../helm-error.ts';
import { ClusterRefusal, type ReleaseCluster } from './release-cluster.ts';
import { objectKey } from './release-objects.ts';

/** How objects are written. */
interface WriteMethod {
  readonly helm: HelmMajor;
  readonly serverSide: boolean;
  /** Takes fields of other managers. */
  readonly forceConflicts?: boolean | undefined;
  /** Replaces objects as a whole. */
  readonly forceReplace?: boolean | undefined;
  /** Fields that an earlier, client-side release wrote become the server's. */
  readonly migratesManagers?: boolean | undefined;
  /** Custom resources get a patch of three parts too, when they are taken over. */
  readonly mergesCustom?: boolean | undefined;
}

const keepPolicy = 'helm.sh/resource-policy';

/** Writes the objects of a release. */
export class ObjectWriter {
  readonly #cluster: ReleaseCluster;
  readonly #method: WriteMethod;

  constructor(cluster: ReleaseCluster, method: WriteMethod) {
    this.#cluster = cluster;
    this.#method = method;
  }

  /** Creates objects of which none is there. */
  async create(objects: readonly DynamicObject[]): Promise<void> {
    for (const object of objects) await this.#create(object, false);
  }

  /**
   * Brings the cluster from one set of objects to another: what is not there is created, what changed is
   * patched, what is no longer wanted goes, unless it says that it is kept.
   *
   * @returns what was created
   * @throws HelmError `WG_HELM_RELEASE` with all that was refused; `created` tells what is new
   */
  async update(
    originals: readonly DynamicObject[],
    targets: readonly DynamicObject[],
    created: DynamicObject[],
  ): Promise<void> {
    this.#check();
    const byKey = new Map(originals.map((object) => [objectKey(object), object]));
    const refused: string[] = [];
    for (const target of targets) {
      const live = await this.#cluster.get(target);
      if (live === undefined) {
        created.push(target);
        try {
          await this.#create(target, this.#method.forceConflicts === true);
        } catch (cause) {
          throw refusal(`failed to create resource: ${messageOf(cause)}`, cause);
        }
        continue;
      }
      try {
        await this.#update(byKey.get(objectKey(target)) ?? live, target);
      } catch (error) {
        if (!(error instanceof ClusterRefusal)) throw error;
        refused.push(error.message);
      }
    }
    if (refused.length > 0) throw refusal(refused.join(' && '));
    await this.#deleteUnwanted(originals, targets);
  }

  /** Deletes in the order given; what is gone already is no problem. */
  async delete(
    objects: readonly DynamicObject[],
    propagation: 'background' | 'foreground' | 'orphan' = 'background',
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const object of objects) {
      try {
        await this.#cluster.delete(object, propagation);
      } catch (error) {
        if (!(error instanceof ClusterRefusal)) throw error;
        problems.push(error.message);
      }
    }
    return problems;
  }

  #check(): void {
    const { serverSide, forceReplace, forceConflicts } = this.#method;
    if (serverSide && forceReplace === true) {
      throw refusal('invalid operation: cannot use server-side apply and force replace together');
    }
    if (!serverSide && forceConflicts === true && this.#method.helm === 4) {
      throw refusal('invalid operation: cannot force conflicts without server-side apply');
    }
  }

  async #create(object: DynamicObject, force: boolean): Promise<void> {
    if (this.#method.serverSide && object.metadata.name) await this.#apply(object, force);
    else await this.#cluster.create(object);
  }

  async #apply(object: DynamicObject, force: boolean): Promise<void> {
    try {
      await this.#cluster.apply(object, { force });
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error;
      const [group = '', version = ''] = object.apiVersion?.includes('/')
        ? object.apiVersion.split('/')
        : ['', object.apiVersion];
      const where = `${object.metadata.namespace ?? ''}/${object.metadata.name} ${group}/${version}, Kind=${object.kind}`;
      const what =
        error.reason === 'Conflict'
          ? 'conflict occurred while applying object'
          : 'server-side apply failed for object';
      throw new ClusterRefusal(error.reason, `${what} ${where}: ${error.message}`, {
        cause: error,
      });
    }
  }

  async #update(original: DynamicObject, target: DynamicObject): Promise<void> {
    const { serverSide, forceReplace, forceConflicts, migratesManagers } = this.#method;
    if (serverSide) {
      if (migratesManagers === true) await this.#cluster.migrateFieldManager(target);
      await this.#apply(target, forceConflicts === true);
      return;
    }
    if (forceReplace === true) {
      await prefixed('failed to replace object', () => this.#cluster.replace(target));
      return;
    }
    const live = await this.#cluster.get(target);
    const { patch, type } = this.#patch(original, target, live);
    if (Object.keys(patch).length === 0) return;
    const what = `cannot patch ${JSON.stringify(target.metadata.name)} with kind ${target.kind}`;
    await prefixed(what, () => this.#cluster.patch(target, patch, type));
  }

  #patch(
    original: DynamicObject,
    target: DynamicObject,
    live: DynamicObject | undefined,
  ): { patch: object; type: 'strategic' | 'merge' } {
    const { group, version } = parseApiVersion(target.apiVersion ?? '');
    const gvk = { group, version, kind: target.kind ?? '' };
    const schema = patchSchemaOf(gvk);
    if (schema !== undefined && fits(target, schemaOf(gvk))) {
      const patch = createThreeWayMergePatch(original, target, live, schema);
      return { patch, type: 'strategic' };
    }
    const patch =
      this.#method.mergesCustom === true
        ? createThreeWayMergePatch(original, target, live, undefined)
        : (createMergePatch(original, target) as object);
    return { patch, type: 'merge' };
  }

  async #deleteUnwanted(
    originals: readonly DynamicObject[],
    targets: readonly DynamicObject[],
  ): Promise<void> {
    const wanted = new Set(targets.map(objectKey));
    const refused: string[] = [];
    for (const object of originals) {
      if (wanted.has(objectKey(object))) continue;
      try {
        const live = await this.#cluster.get(object);
        if (live === undefined || isKept(live)) continue;
        await this.#cluster.delete(object, 'background');
      } catch (error) {
        if (!(error instanceof ClusterRefusal)) throw error;
        const { name, namespace = '' } = object.metadata;
        refused.push(
          `failed to delete resource namespace=${namespace}, name=${name}, kind=${object.kind}: ${error.message}`,
        );
      }
    }
    // Helm 3 leaves what it may not delete, without a word.
    if (refused.length > 0 && this.#method.helm === 4) throw refusal(refused.join(' && '));
  }
}

/** Whether an object says that it stays when its release goes. */
export function isKept({ metadata }: DynamicObject): boolean {
  return metadata.annotations?.[keepPolicy] === 'keep';
}

async function prefixed(what: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ClusterRefusal)) throw error;
    throw new ClusterRefusal(error.reason, `${what}: ${error.message}`, { cause: error });
  }
}

function refusal(message: string, cause?: unknown): HelmError {
  return new HelmError('WG_HELM_RELEASE', message, cause === undefined ? undefined : { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Helm makes strategic patches only of what Go's types can hold: a text for a number they cannot. */
function fits(value: unknown, node: SchemaNode | undefined): boolean {
  if (node === undefined || value === null || value === undefined) return true;
  if (node.isIntOrString || node.isQuantity || node.preservesUnknownFields) return true;
  switch (node.type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string';
    case 'array':
      return Array.isArray(value) && value.every((item) => fits(item, node.items));
    case 'object':
      if (!isObject(value)) return false;
      return Object.entries(value).every(([key, each]) => fits(each, node.field(key)));
    default:
      return true;
  }
}
