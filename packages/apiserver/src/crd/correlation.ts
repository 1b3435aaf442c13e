import { encodeJson, equalJson, isObject } from '@waygate/text';
import type { JsonSchema } from './json-schema.ts';

/**
 * A value with what it was before. What was wrong before and has not been touched is not held
 * against a change elsewhere.
 */
export class Correlation {
  readonly #value: unknown;
  /** Undefined when there is nothing that this value was before. */
  readonly #old: unknown;
  readonly #parent: Correlation | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, parent?: Correlation) {
    this.#value = value;
    this.#old = old;
    this.#parent = parent;
  }

  get old(): unknown {
    return this.#old;
  }

  /** The value, or else the nearest thing around it that can be told from others, is what it was. */
  get isUnchanged(): boolean {
    if (this.#isUnchanged === undefined) {
      this.#isUnchanged =
        this.#old === undefined
          ? (this.#parent?.isUnchanged ?? false)
          : equalJson(this.#value, this.#old);
    }
    return this.#isUnchanged;
  }

  field(key: string): Correlation {
    const value = (this.#value as Record<string, unknown>)[key];
    const old = isObject(this.#old) ? this.#old[key] : undefined;
    // Both states are of one version and kind by the time they get here.
    const isVersioned = this.#parent === undefined && (key === 'apiVersion' || key === 'kind');
    return isVersioned
      ? new Correlation(value, old, neverUnchanged)
      : new Correlation(value, old, this);
  }

  /** The items of a list, in order; only those of map lists are known again. */
  items(schema: JsonSchema): Correlation[] {
    const list = this.#value as readonly unknown[];
    const before = oldItems(this.#old, schema);
    return list.map((item) => new Correlation(item, before(item), this));
  }
}

const neverUnchanged = new Correlation(undefined, undefined);

/** Finds what an item of a map list was before, by its keys. */
function oldItems(old: unknown, schema: JsonSchema): (item: unknown) => unknown {
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return () => undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown) =>
    isObject(item) ? encodeJson(keys.map((key) => item[key] ?? null)) : undefined;
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return (item) => {
    const key = keyOf(item);
    return key === undefined ? undefined : known.get(key);
  };
}
