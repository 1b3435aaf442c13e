import type { KeyObject } from 'node:crypto';
import {
  isCostly,
  type KeyKind,
  makeKey,
  makeKeyAside,
  stepsOfKey,
} from '../functions/private-key.ts';

/**
 * The keys of a chart. One takes a tenth of a second or a whole one, and only its end tells whether a chart that makes
 * many keeps within its limits: in the place of all that take long it is given another, and is rendered again with keys
 * of its own when it has come to its end. One that asks for keys for ever has none made for it.
 */
export class KeyRing {
  readonly #given: ((kind: KeyKind) => KeyObject) | undefined;
  readonly #keys: { readonly kind: KeyKind; readonly key: KeyObject }[] = [];
  #left: { readonly kind: KeyKind; readonly key: KeyObject }[] = [];
  #missing: KeyKind[] = [];
  #steps = 0;
  #standIn: KeyObject | undefined;

  /** With a maker of the caller's, in place of node:crypto. */
  constructor(given?: (kind: KeyKind) => KeyObject) {
    this.#given = given;
  }

  /** Whether what was rendered last holds keys that are nobody's own. */
  get isRehearsal(): boolean {
    return this.#missing.length > 0;
  }

  /** What the keys of the last rendering counted as. */
  get steps(): number {
    return this.#steps;
  }

  /** Before each rendering: the first of a kind that is asked for is the first that there is. */
  begin(): void {
    this.#left = [...this.#keys];
    this.#missing = [];
    this.#steps = 0;
  }

  readonly take = (kind: KeyKind): KeyObject => {
    if (!isCostly(kind)) return this.#make(kind);
    this.#steps += stepsOfKey[kind];
    const at = this.#left.findIndex((each) => each.kind === kind);
    if (at >= 0) return this.#left.splice(at, 1)[0]!.key;
    this.#missing.push(kind);
    this.#standIn ??= this.#make('ecdsa');
    return this.#standIn;
  };

  /** Makes the keys that were missing. */
  add(): void {
    for (const kind of this.#missing) this.#keys.push({ kind, key: this.#make(kind) });
  }

  /** The same by other threads, one after the other: a chart of many keys leaves some to its neighbours. */
  async addAside(): Promise<void> {
    for (const kind of this.#missing) {
      this.#keys.push({ kind, key: this.#given?.(kind) ?? (await makeKeyAside(kind)) });
    }
  }

  #make(kind: KeyKind): KeyObject {
    return (this.#given ?? makeKey)(kind);
  }
}
