import type { KeyObject } from 'node:crypto';
import { type KeyKind, makeKey } from '../functions/private-key.ts';

/** Those that take long, and of which a rendering makes so many before it is rehearsed; the others take no time. */
const madeAtOnce: Readonly<Partial<Record<KeyKind, number>>> = {
  'rsa-2048': 2,
  'rsa-4096': 0,
  dsa: 0,
};

/**
 * The keys of a first rendering. A key takes a tenth of a second or a whole one, and only its end tells whether a chart
 * that makes many keeps within its limits: after the first ones it is given others in their place, and is rendered
 * again with keys of its own when it has come to its end. One that asks for keys for ever has none made for it.
 */
export class RehearsedKeys {
  readonly #make: (kind: KeyKind) => KeyObject;
  readonly #made = new Map<KeyKind, KeyObject[]>();
  #isRehearsal = false;

  constructor(make: (kind: KeyKind) => KeyObject = makeKey) {
    this.#make = make;
  }

  /** Whether what was rendered holds keys that are nobody's own. */
  get isRehearsal(): boolean {
    return this.#isRehearsal;
  }

  readonly make = (kind: KeyKind): KeyObject => {
    const most = madeAtOnce[kind];
    const made = this.#made.get(kind) ?? [];
    if (most === undefined || made.length < most) {
      const key = this.#make(kind);
      this.#made.set(kind, [...made, key]);
      return key;
    }
    this.#isRehearsal = true;
    return made.at(-1) ?? this.#standIn();
  };

  #standIn(): KeyObject {
    const [key = this.#make('ecdsa')] = this.#made.get('ecdsa') ?? [];
    this.#made.set('ecdsa', [key]);
    return key;
  }
}
