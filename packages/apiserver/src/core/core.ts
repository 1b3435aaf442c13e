import type { DynamicObject } from '@waygate/schema';
import type { Authorizer } from '../access/authorizer.ts';
import type { UserInfo } from '../access/user.ts';
import type { ClusterSettings } from '../resources/cluster-settings.ts';
import type { Registry } from '../resources/registry.ts';
import type { StrategyContext } from '../resources/resource.ts';
import type { Entry } from '../storage/entry.ts';
import type { Store } from '../storage/store.ts';
import type { Admission } from './admission.ts';
import type { PodRuntime } from './pod-runtime.ts';

/** Everything that request handlers and controllers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  /** Judges what a request turns out to need beyond its verb. */
  readonly authorizer: Authorizer;
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
  /** Letters and digits for generated names. */
  randomSuffix(): string;
  readonly settings: ClusterSettings;
  /** How often a watch that asks for bookmarks gets one. */
  readonly bookmarkPeriodMs: number;
  /** What runs Pods, where something does. */
  readonly podRuntime?: PodRuntime | undefined;
  log(line: string): void;
}

/** A strategy's window on the rest of the server. */
export function strategyContext(core: Core, user: UserInfo): StrategyContext {
  return {
    now: core.now(),
    user,
    settings: core.settings,
    find: (collection, key) => core.store.getHead(collection, key)?.object,
    list: (collection, namespace) =>
      core.store
        .collection(collection)
        .entries(namespace ?? '')
        .map((entry) => entry.object),
    facts: (collection, derive) => {
      const known = knownFacts(derive);
      return core.store
        .collection(collection)
        .entries()
        .map((entry) => {
          const before = known.get(entry);
          if (before !== undefined) return before;
          const fact = derive(entry.object);
          known.set(entry, fact);
          return fact;
        });
    },
  };
}

type Derive<Fact> = (object: Readonly<DynamicObject>) => Fact;

/** Entries never change, so what was derived from one is true for as long as it lives. */
const factsByDerive = new WeakMap<Derive<unknown>, WeakMap<Entry, unknown>>();

function knownFacts<Fact>(derive: Derive<Fact>): WeakMap<Entry, Fact> {
  let known = factsByDerive.get(derive);
  if (known === undefined) {
    known = new WeakMap();
    factsByDerive.set(derive, known);
  }
  return known as WeakMap<Entry, Fact>;
}
