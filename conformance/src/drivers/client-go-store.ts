import { Indexer, metaNamespaceKey } from '@waygate/runtime';
import type { Outcome } from '../driver.ts';
import {
  indexersFrom,
  type ObjectData,
  objectFrom,
  type ScenarioObject,
} from './client-go-object.ts';
import {
  differs,
  differsAsSet,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

/** Runs one scenario of `store_index.json`. */
export function runStore(scenario: Scenario): Promise<Outcome> {
  const run = scenario.config?.raw === true ? new RawStoreRun(scenario) : new StoreRun(scenario);
  return run.play(scenario.steps ?? []);
}

class StoreRun extends ScenarioRun {
  private readonly store: Indexer<ScenarioObject>;

  constructor(scenario: Scenario) {
    super(scenario);
    const keyErrorFor = (this.config.keyErrorFor as string[] | undefined) ?? [];
    this.store = new Indexer({
      indexers: indexersFrom(this.config.indexers as Parameters<typeof indexersFrom>[0]),
      keyFunction: (object) => {
        if (keyErrorFor.includes(object.metadata.name!)) throw new Error('no key');
        return metaNamespaceKey(object);
      },
    });
  }

  protected override perform(step: Step): unknown {
    const { store } = this;
    const object = () => objectFrom(step.obj as ObjectData);
    const [index, value] = [step.index as string, step.value as string];
    switch (step.op) {
      case 'add':
        return store.add(object());
      case 'update':
        return store.update(object());
      case 'delete':
        return store.delete(object());
      case 'replace':
        store.replace((step.list as ObjectData[]).map(objectFrom), step.rv as string);
        return undefined;
      case 'byIndex':
        return store.byIndex(index, value);
      case 'index':
        return store.index(index, object());
      case 'indexKeys':
        return store.indexKeys(index, value);
      case 'indexValues':
        return store.listIndexFuncValues(index);
      case 'addIndexers':
        return store.addIndexers(indexersFrom(step.indexers as never));
      case 'listKeys':
        return store.listKeys();
      case 'list':
        return store.list();
      case 'getByKey':
        return store.getByKey(step.key as string)?.data;
      case 'get':
        return store.get(object())?.data;
      case 'storeRV':
        return store.lastStoreSyncResourceVersion;
      case 'bookmark':
        return store.bookmark(step.rv as string);
      case 'transactionObjs': {
        const failure = store.transaction(
          (step.names as string[]).map((name) => ({ type: 'add', object: objectFrom({ name }) })),
        );
        return failure === undefined ? null : { successful: failure.successfulIndices };
      }
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    return checkSet(step, result) ?? undefined;
  }
}

/** Lists are sets unless the step says that they are ordered. Objects go by name or by key. */
function checkSet(step: Step, result: unknown): Problem {
  if (!('expect' in step)) return undefined;
  if (!Array.isArray(result)) return differs(step.expect, result);
  const compare = step.ordered === true ? differs : differsAsSet;
  if (typeof result[0] !== 'object') return compare(step.expect, result);
  const objects = result as ScenarioObject[];
  const byName = compare(
    step.expect,
    objects.map(({ metadata }) => metadata.name),
  );
  return byName === undefined ? undefined : compare(step.expect, objects.map(metaNamespaceKey));
}

interface RawObject {
  readonly key: string;
  readonly value?: unknown;
  readonly metadata?: { readonly resourceVersion: string };
}

/** The store below the indexer: by key, whatever the value. */
class RawStoreRun extends ScenarioRun {
  private readonly store: Indexer<RawObject>;

  constructor(scenario: Scenario) {
    super(scenario);
    this.store = new Indexer<RawObject>({
      indexers: indexersFrom(this.config.indexers as never),
      keyFunction: ({ key }) => key,
    });
  }

  protected override perform(step: Step): unknown {
    const { store } = this;
    const key = step.key as string;
    switch (step.op) {
      case 'put':
        return store.put(key, rawObject(key, step.rv, step.value));
      case 'remove':
        return store.remove(key);
      case 'removeWithObject':
        return store.remove(key, rawObject(key, step.rv, step.value));
      case 'replaceRaw':
        return store.replaceKeyed(
          Object.entries(step.items as object).map(
            ([item, rv]) => [item, rawObject(item, rv, rv)] as const,
          ),
          step.rv as string,
        );
      case 'transaction':
        store.transaction(
          (step.txns as ['add' | 'update' | 'delete', string, string][]).map(
            ([type, item, rv]) => ({
              type,
              object: rawObject(item, rv, rv),
            }),
          ),
        );
        return undefined;
      case 'bookmark':
        return store.bookmark(step.rv as string);
      case 'storeRV':
        return store.lastStoreSyncResourceVersion;
      case 'listKeys':
        return store.listKeys();
      case 'getByKey':
        return store.getByKey(key)?.value;
      case 'byIndex':
        return store
          .byIndex(step.index as string, step.value as string)
          .map((object) => object.key);
      case 'indexKeys':
        return store.indexKeys(step.index as string, step.value as string);
      case 'index':
        return store
          .index(step.index as string, rawObject('', undefined, step.value))
          .map((object) => object.key);
      case 'indexValues':
        return store.listIndexFuncValues(step.index as string);
      case 'addIndexers':
        return store.addIndexers(indexersFrom(step.indexers as never));
      default:
        return unknownOp(step);
    }
  }

  protected override check(step: Step, result: unknown): Problem {
    return checkSet(step, result);
  }
}

function rawObject(key: string, rv: unknown, value: unknown): RawObject {
  return {
    key,
    value: value ?? rv,
    ...(typeof rv === 'string' ? { metadata: { resourceVersion: rv } } : {}),
  };
}
