import { HelmError } from '../helm-error.ts';

/** What a rendering may use. None of it is a time: the same chart stops at the same place everywhere. */
export interface EngineLimits {
  /** Nodes walked, items visited and function calls, of all templates together. */
  readonly steps: number;
  /** Bytes of text and eight for each item that functions make, of all templates together. */
  readonly bytes: number;
  /** How deep templates, lists and maps may nest. */
  readonly depth: number;
}

/** Enough for any chart that people write, and a second or so of one that is hostile. */
export const defaultLimits: EngineLimits = {
  steps: 20_000_000,
  bytes: 256 * 1024 * 1024,
  depth: 10_000,
};

/** Counts what a rendering uses, and ends it where that is too much. */
export class Budget {
  readonly limits: EngineLimits;
  #steps: number;
  #bytes: number;

  constructor(limits: EngineLimits = defaultLimits) {
    this.limits = limits;
    this.#steps = limits.steps;
    this.#bytes = limits.bytes;
  }

  /** Counts steps before they are done. */
  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw tooMuch(`${this.limits.steps} steps`, 'steps');
  }

  /** Counts text and items before they are made. */
  make(bytes: number): void {
    this.#bytes -= bytes;
    if (!(this.#bytes >= 0)) throw tooMuch(`${this.limits.bytes} bytes`, 'bytes');
  }

  /** Refuses what nests deeper than allowed. */
  enter(depth: number): void {
    if (depth > this.limits.depth) throw tooMuch(`a depth of ${this.limits.depth}`, 'depth');
  }
}

function tooMuch(what: string, option: keyof EngineLimits): HelmError {
  return new HelmError(
    'WG_HELM_LIMIT',
    `the templates use more than ${what}: if they are to be trusted, raise limits.${option}`,
  );
}
