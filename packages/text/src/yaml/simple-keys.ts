import type { Reader } from './reader.ts';
import { type Mark, YamlError } from './yaml-error.ts';

/** How far a `:` may be from the start of its key. */
const maxLength = 1024;

interface SimpleKey {
  isPossible: boolean;
  readonly isRequired: boolean;
  readonly tokenNumber: number;
  readonly mark: Mark;
}

/** The tokens that may turn out to be keys: one at most outside of brackets, and in each of them. */
export class SimpleKeys {
  readonly #reader: Reader;
  readonly #levels: SimpleKey[] = [newKey()];
  /** Keys of all levels by token, while inside brackets; outside there is only one. */
  readonly #byToken = new Map<number, SimpleKey>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The one of the innermost brackets. */
  get top(): SimpleKey {
    return this.#levels[this.#levels.length - 1]!;
  }

  get #isInFlow(): boolean {
    return this.#levels.length > 1;
  }

  /** The key that a token may be. */
  at(tokenNumber: number): SimpleKey | undefined {
    if (this.#isInFlow) return this.#byToken.get(tokenNumber);
    const key = this.#levels[0]!;
    return key.isPossible && key.tokenNumber === tokenNumber ? key : undefined;
  }

  /** Whether a key can still be one: its colon must come soon, and on its line. */
  isValid(key: SimpleKey): boolean {
    if (!key.isPossible) return false;
    const { line, index } = this.#reader;
    if (key.mark.line < line || key.mark.index + maxLength < index) {
      this.#give(key);
      return false;
    }
    return true;
  }

  save(isRequired: boolean, tokenNumber: number): void {
    this.removeTop();
    const key = { isPossible: true, isRequired, tokenNumber, mark: this.#reader.mark() };
    this.#levels[this.#levels.length - 1] = key;
    if (this.#isInFlow) this.#byToken.set(tokenNumber, key);
  }

  removeTop(): void {
    if (this.top.isPossible) this.#give(this.top);
  }

  /** Gives a key up, which is an error where nothing else can be. */
  #give(key: SimpleKey): void {
    if (key.isRequired) {
      const problem = "could not find expected ':'";
      throw new YamlError('scanner', problem, this.#reader.mark(), key.mark);
    }
    this.drop(key);
  }

  drop(key: SimpleKey): void {
    key.isPossible = false;
    if (this.#isInFlow) this.#byToken.delete(key.tokenNumber);
  }

  enterBrackets(): void {
    const outer = this.#levels[0]!;
    if (!this.#isInFlow && outer.isPossible) this.#byToken.set(outer.tokenNumber, outer);
    this.#levels.push(newKey());
  }

  leaveBrackets(): void {
    const key = this.#levels.pop()!;
    if (this.#isInFlow) this.#byToken.delete(key.tokenNumber);
    else this.#byToken.clear();
  }
}

function newKey(): SimpleKey {
  return {
    isPossible: false,
    isRequired: false,
    tokenNumber: -1,
    mark: { index: 0, line: 0, column: 0 },
  };
}
