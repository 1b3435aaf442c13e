import { isForbidden, isNoMatch, isNotFound, type KubeClient, type Resource } from '@waygate/kube';
import { type Clock, parallelizeUntil, systemClock } from '@waygate/runtime';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { ApplyError } from './apply-error.ts';
import type { ApplyOptions } from './apply-options.ts';
import { type ApplyStage, applyStages, sortForApply, stageOf } from './apply-order.ts';
import { type Change, changeOf } from './change-set.ts';
import { driftedPaths } from './drift.ts';
import { expectedOf } from './expected-objects.ts';
import { objectHealth } from './health/object-health.ts';
import { isImmutableError } from './immutable.ts';
import { withLiveValues } from './live-values.ts';
import { managedFieldsCleanup, metadataCleanup, replacedManagers } from './managed-fields.ts';
import { normalizeObject } from './normalize.ts';
import { digestOf } from './object-digest.ts';
import { actionFailure, dryRunFailure, type ObjectFailure } from './object-failure.ts';
import { objectIdOf } from './object-id.ts';
import { hasAnyInMetadata } from './object-metadata.ts';
import { checkCreatable, deleteAndWait } from './recreate.ts';

/** What applying a set came to. Both lists are in the order of applying. */
export interface ApplyOutcome {
  readonly changes: readonly Change[];
  readonly failures: readonly ObjectFailure[];
}

/** An object after the server was asked about it: what is left to do. */
interface Plan {
  readonly object: DynamicObject;
  readonly resource: Resource<DynamicObject>;
  readonly action: 'created' | 'configured';
  readonly paths: readonly string[];
  /** Fields that others may set, taken from the live object. */
  readonly payload: DynamicObject;
  readonly before: DynamicObject | undefined;
  /** What the server would have. */
  readonly after: DynamicObject;
  /** Whether we may not read it: only the write shows whether it changed anything. */
  readonly isUnread?: boolean;
}

type Verdict = Change | Plan | ObjectFailure;

/** An object that was applied, and how the server has it now. */
interface Written {
  readonly change: Change;
  readonly live: DynamicObject;
}

/**
 * Applies a set of objects by server-side apply: definitions first, then classes, then the rest. An
 * object that is as wanted is not written. One that the API refuses is reported, and the others of
 * its set go through all the same.
 *
 * ```ts
 * const objects = readObjects('apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n');
 * const { changes, failures } = await applyObjects(client, objects, {
 *   fieldManager: 'kustomize-controller',
 *   selectors: applySelectors('kustomize.toolkit.fluxcd.io'),
 * });
 * ```
 */
export async function applyObjects(
  client: KubeClient,
  objects: readonly DynamicObject[],
  options: ApplyOptions,
): Promise<ApplyOutcome> {
  return new Application(client, options).run(objects);
}

class Application {
  readonly #client: KubeClient;
  readonly #options: ApplyOptions;
  readonly #clock: Clock;
  readonly #changes: Change[] = [];
  readonly #failures: ObjectFailure[] = [];
  /** What a preview would have made by the time that it is needed. */
  #expected: ReadonlySet<string> = new Set();

  constructor(client: KubeClient, options: ApplyOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  async run(objects: readonly DynamicObject[]): Promise<ApplyOutcome> {
    const stages = new Map<ApplyStage, DynamicObject[]>();
    for (const object of objects) {
      const stage = stageOf(object, this.#options.customStageKinds);
      const members = stages.get(stage);
      if (members === undefined) stages.set(stage, [object]);
      else members.push(object);
    }
    if (this.#options.isPreview) this.#expected = expectedOf(objects);
    for (const stage of applyStages) {
      const members = stages.get(stage);
      if (members !== undefined) await this.#applyStage(stage, sortForApply(members));
    }
    return { changes: this.#changes, failures: this.#failures };
  }

  async #applyStage(stage: ApplyStage, objects: readonly DynamicObject[]): Promise<void> {
    const verdicts: (Verdict | Written)[] = await this.#parallel(objects, (object) =>
      this.#judge(object),
    );
    const places = verdicts.flatMap((verdict, index) => ('payload' in verdict ? [index] : []));
    const plans = places.map((index) => verdicts[index] as Plan);
    const creating = plans.filter(({ action }) => action === 'created');
    if (creating.length > 0 && !this.#options.isPreview) {
      await this.#options.onCreating?.(creating.map(({ object }) => changeOf(object, 'created')));
    }
    // Definitions and classes are few, and their order matters; the rest may go out side by side.
    const results =
      stage === 'resources'
        ? await this.#inRanks(plans)
        : await this.#parallel(plans, (plan) => this.#write(plan), 1);
    places.forEach((place, index) => {
      verdicts[place] = results[index] as Written | ObjectFailure;
    });
    const written: DynamicObject[] = [];
    for (const verdict of verdicts) {
      if ('change' in verdict) {
        this.#changes.push(verdict.change);
        written.push(verdict.live);
      } else if ('action' in verdict) this.#changes.push(verdict as Change);
      else this.#failures.push(verdict as ObjectFailure);
    }
    if (this.#options.isPreview || written.length === 0) return;
    if (stage === 'definitions' || stage === 'classes') await this.#waitUntilServed(written);
  }

  /** Kinds one after the other, as their order says; objects of one kind side by side. */
  async #inRanks(plans: readonly Plan[]): Promise<(Written | ObjectFailure)[]> {
    const results: (Written | ObjectFailure)[] = [];
    for (let start = 0; start < plans.length; ) {
      let end = start + 1;
      while (end < plans.length && plans[end]?.object.kind === plans[start]?.object.kind) end++;
      results.push(...(await this.#parallel(plans.slice(start, end), (plan) => this.#write(plan))));
      start = end;
    }
    return results;
  }

  async #parallel<T, R>(
    items: readonly T[],
    work: (item: T) => Promise<R>,
    concurrency = this.#options.concurrency ?? 4,
  ): Promise<R[]> {
    const results = new Array<R>(items.length);
    await parallelizeUntil({ workers: concurrency, pieces: items.length }, async (index) => {
      this.#options.signal?.throwIfAborted();
      results[index] = await work(items[index] as T);
    });
    this.#options.signal?.throwIfAborted();
    return results;
  }

  /** Asks the server what applying the object would do. */
  async #judge(given: DynamicObject): Promise<Verdict> {
    const { signal, live, selectors } = this.#options;
    let object = given;
    try {
      const resource = await this.#client.resourceOf(object, { signal });
      object = this.#placed(normalizeObject(object), resource);
      const id = objectIdOf(object);
      const { version } = parseApiVersion(object.apiVersion ?? '');
      const digest = digestOf(object);
      if (live?.isAsApplied(id, version, digest)) return changeOf(object, 'unchanged');
      const existing = await this.#readIfAllowed(resource, object);
      if (existing === 'forbidden') return await this.#judgeUnread(resource, object);
      if (this.#isSkipped(object, existing)) return changeOf(object, 'skipped');
      const payload =
        existing === undefined
          ? object
          : withLiveValues(object, existing, this.#options.ignoreRules ?? []);
      const dryRun = await this.#dryRun(resource, payload, existing);
      const base = { object, resource, payload, before: existing, after: dryRun.result };
      if (existing === undefined || dryRun.isRecreated)
        return { ...base, action: 'created', paths: [] };
      const isCleaned = await this.#cleanUp(resource, object, existing);
      const paths = driftedPaths(existing, dryRun.result);
      if (paths.length > 0 || isCleaned) return { ...base, action: 'configured', paths };
      live?.noteApplied(id, version, digest, existing);
      return changeOf(object, 'unchanged');
    } catch (error) {
      signal?.throwIfAborted();
      if (hasAnyInMetadata(object, selectors.exclusion)) return changeOf(object, 'skipped');
      if (this.#isExpected(object, error)) return { ...changeOf(object, 'created'), after: object };
      return dryRunFailure(object, error);
    }
  }

  /**
   * For accounts that may create and patch, and not read: the answer of the dry run tells whether the
   * object is there, and how it is marked.
   */
  async #judgeUnread(resource: Resource<DynamicObject>, object: DynamicObject): Promise<Verdict> {
    if (this.#isSkipped(object, undefined)) return changeOf(object, 'skipped');
    // What others may set is taken from the live object: without it, it would be overwritten.
    if ((this.#options.ignoreRules ?? []).length > 0) await this.#read(resource, object);
    const after = await this.#apply(resource, object, true);
    const isThere = (after.metadata.resourceVersion ?? '') !== '';
    if (isThere && this.#isSkipped(object, after)) return changeOf(object, 'skipped');
    const action = isThere ? 'configured' : 'created';
    return {
      object,
      resource,
      payload: object,
      before: undefined,
      after,
      action,
      paths: [],
      isUnread: true,
    };
  }

  /** Whether the object only lacks a namespace or a definition that the same set brings. */
  #isExpected(object: DynamicObject, error: unknown): boolean {
    const { group } = parseApiVersion(object.apiVersion ?? '');
    if (isNoMatch(error)) return this.#expected.has(`${group}/${object.kind}`);
    return isNotFound(error) && this.#expected.has(`Namespace/${object.metadata.namespace}`);
  }

  #placed(object: DynamicObject, resource: Resource<DynamicObject>): DynamicObject {
    const { namespace, ...metadata } = object.metadata;
    if (resource.kind.scope === 'Cluster') {
      return namespace === undefined ? object : { ...object, metadata };
    }
    if (namespace !== undefined && namespace !== '') return object;
    const { defaultNamespace } = this.#options;
    if (defaultNamespace === undefined) {
      throw new ApplyError(
        'WG_APPLY_MANIFEST',
        `${object.kind} is in a namespace, and the manifest names none`,
      );
    }
    return { ...object, metadata: { ...metadata, namespace: defaultNamespace } };
  }

  async #read(
    resource: Resource<DynamicObject>,
    object: DynamicObject,
  ): Promise<DynamicObject | undefined> {
    const { name = '', namespace } = object.metadata;
    try {
      return await resource.get(name, { namespace }, { signal: this.#options.signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #readIfAllowed(
    resource: Resource<DynamicObject>,
    object: DynamicObject,
  ): Promise<DynamicObject | 'forbidden' | undefined> {
    try {
      return await this.#read(resource, object);
    } catch (error) {
      if (isForbidden(error)) return 'forbidden';
      throw error;
    }
  }

  #isSkipped(object: DynamicObject, existing: DynamicObject | undefined): boolean {
    const { exclusion, ifNotPresent } = this.#options.selectors;
    if (hasAnyInMetadata(object, exclusion)) return true;
    if (existing === undefined) return false;
    return hasAnyInMetadata(existing, exclusion) || hasAnyInMetadata(object, ifNotPresent);
  }

  async #dryRun(
    resource: Resource<DynamicObject>,
    object: DynamicObject,
    existing: DynamicObject | undefined,
  ): Promise<{ result: DynamicObject; isRecreated: boolean }> {
    try {
      return { result: await this.#apply(resource, object, true), isRecreated: false };
    } catch (error) {
      if (existing === undefined || !this.#mayRecreate(object, existing)) throw error;
      if (!isImmutableError(error)) throw error;
      await checkCreatable(resource, object, this.#options.signal);
      if (this.#options.isPreview) return { result: object, isRecreated: true };
      this.#options.live?.noteDeleted(objectIdOf(existing));
      await deleteAndWait(resource, existing, this.#clock, this.#options.signal);
      return { result: await this.#apply(resource, object, true), isRecreated: true };
    }
  }

  #mayRecreate(object: DynamicObject, existing: DynamicObject): boolean {
    const { force } = this.#options.selectors;
    return (
      this.#options.force === true ||
      hasAnyInMetadata(object, force) ||
      hasAnyInMetadata(existing, force)
    );
  }

  /** Takes fields and marks of other tools over. True when the object was changed, or would be. */
  async #cleanUp(
    resource: Resource<DynamicObject>,
    object: DynamicObject,
    existing: DynamicObject,
  ): Promise<boolean> {
    const { selectors, fieldManager, overrideManagers, isPreview, signal } = this.#options;
    if (hasAnyInMetadata(object, selectors.merge) || hasAnyInMetadata(existing, selectors.merge)) {
      return false;
    }
    const managers = replacedManagers(fieldManager, overrideManagers);
    const patch = [
      ...metadataCleanup(existing),
      ...(managedFieldsCleanup(existing, managers, fieldManager) ?? []),
    ];
    if (patch.length === 0) return false;
    if (isPreview) return true;
    const { name = '', namespace, resourceVersion } = existing.metadata;
    // The list of managers is replaced as a whole, so nothing may have changed it meanwhile.
    const path = '/metadata/resourceVersion';
    await resource.patch(
      name,
      [{ op: 'test', path, value: resourceVersion }, ...patch],
      { namespace, type: 'json', fieldManager },
      { signal },
    );
    return true;
  }

  async #write(plan: Plan): Promise<Written | ObjectFailure> {
    const { object, payload, resource, action, paths, before, after } = plan;
    const change = changeOf(object, action, paths);
    if (this.#options.isPreview) return { change: { ...change, before, after }, live: object };
    try {
      const live = await this.#apply(resource, payload, false);
      const { version } = parseApiVersion(object.apiVersion ?? '');
      this.#options.live?.noteApplied(objectIdOf(object), version, digestOf(object), live);
      // A write that changes nothing leaves the object as it was.
      const isSame = live.metadata.resourceVersion === after.metadata.resourceVersion;
      if (plan.isUnread && isSame) return { change: changeOf(object, 'unchanged'), live };
      const states = this.#options.keepsStates ? { before, after: live } : {};
      return { change: { ...change, ...states }, live };
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      return actionFailure(object, 'apply', error);
    }
  }

  #apply(
    resource: Resource<DynamicObject>,
    object: DynamicObject,
    dryRun: boolean,
  ): Promise<DynamicObject> {
    const { fieldManager, signal } = this.#options;
    const { namespace } = object.metadata;
    return resource.apply(object, { namespace, fieldManager, force: true, dryRun }, { signal });
  }

  /** Waits for definitions to be served, so that what they define can be applied. */
  async #waitUntilServed(written: readonly DynamicObject[]): Promise<void> {
    const { signal, definitionTimeoutMs = 60_000 } = this.#options;
    const deadline = this.#clock.monotonicMs() + definitionTimeoutMs;
    let waiting = written.filter((object) => objectHealth(object).status !== 'Current');
    for (let delay = 20; waiting.length > 0; delay = Math.min(delay * 2, 2000)) {
      await this.#clock.sleep(delay, signal);
      signal?.throwIfAborted();
      const states = await this.#parallel(waiting, (object) => this.#stateOf(object));
      waiting = waiting.filter((_object, index) => states[index] !== 'Current');
      if (waiting.length > 0 && this.#clock.monotonicMs() > deadline) {
        for (const object of waiting) {
          const late = new ApplyError('WG_APPLY_TIMEOUT', 'it did not become ready in time');
          this.#failures.push(actionFailure(object, 'wait', late));
        }
        break;
      }
    }
    if (written.some(({ kind }) => kind === 'CustomResourceDefinition')) {
      this.#client.mapper.invalidate();
    }
  }

  async #stateOf(object: DynamicObject): Promise<string> {
    const resource = await this.#client.resourceOf(object, { signal: this.#options.signal });
    const found = await this.#readIfAllowed(resource, object);
    // Who may not look cannot wait: what needs the definition is tried, and tried again.
    if (found === 'forbidden') return 'Current';
    return found === undefined ? 'NotFound' : objectHealth(found).status;
  }
}
