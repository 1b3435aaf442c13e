import type { Admission } from '../admission/admission.ts';
import type { Registry } from '../resources/registry.ts';
import type { StrategyContext } from '../resources/resource.ts';
import type { Store } from '../storage/store.ts';

/** Everything that request handlers and controllers share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  /** Milliseconds since the epoch. */
  now(): number;
  uuid(): string;
  /** Letters and digits for generated names. */
  randomSuffix(): string;
  log(line: string): void;
}

/** A strategy's window on the rest of the server. */
export function strategyContext(core: Core, user: string): StrategyContext {
  return {
    now: core.now(),
    user,
    find: (collection, key) => core.store.getHead(collection, key)?.object,
    list: (collection, namespace) =>
      core.store
        .collection(collection)
        .entries(namespace ?? '')
        .map((entry) => entry.object),
  };
}
