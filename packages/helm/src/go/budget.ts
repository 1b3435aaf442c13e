import { hasStackLeft } from '@waygate/text';
import { HelmError } from '../helm-error.ts';

/** What a rendering may use. None of it is a time: the same chart stops at the same place everywhere. */
export interface EngineLimits {
  /** Nodes walked, items visited and function calls, of all templates together. */
  readonly steps: number;
  /** Bytes of text and eight for each item that functions make, of all templates together. */
  readonly bytes: number;
  /** How deep templates, lists and maps may nest. */
  readonly depth: number;
  /** How whoever runs this raises one of them, to be told where it is reached: `raise limits.steps`. */
  readonly how?: ((option: LimitName) => string) | undefined;
}

/** What is limited. */
export type LimitName = 'steps' | 'bytes' | 'depth';

/** What the tree of one action takes while it is there, roughly. */
const bytesOfAction = 600;
/** What it takes to parse one, beside the steps of executing it. */
const stepsOfAction = 32;
/** Letters of an action that these are enough for; those of longer ones are counted one by one. */
const lettersOfAction = 128;
const stepsOfLetter = 5;

/** How deep a value may be in others: more than any that people write. */
const surelyHeld = 500;

/** So many frames are taken by templates, blocks and brackets before the stack is looked at again. */
const framesBetweenLooks = 100;

/** What a template's text and its tree take, roughly. */
export function bytesOfTree(text: string): number {
  return text.length + actionsIn(text) * bytesOfAction;
}

function actionsIn(text: string): number {
  let actions = 0;
  for (let at = text.indexOf('{{'); at >= 0; at = text.indexOf('{{', at + 2)) actions++;
  return actions;
}

function isComment(text: string, at: number): boolean {
  let next = at + 2;
  if (text.charCodeAt(next) === 0x2d) next++;
  while (next < at + 6 && /\s/.test(text.charAt(next))) next++;
  return text.startsWith('/*', next);
}

function lettersInActions(text: string): number {
  let letters = 0;
  for (let at = text.indexOf('{{'); at >= 0; ) {
    const end = text.indexOf('}}', at);
    if (end < 0) return letters + text.length - at;
    // A comment is skipped whole, however long it is.
    if (!isComment(text, at)) letters += end - at;
    at = text.indexOf('{{', end);
  }
  return letters;
}

/**
 * Reads limits as people write them: `steps=40000000,bytes=536870912`.
 *
 * @example
 * parseLimits('steps=40000000'); // { steps: 40000000 }
 * @throws HelmError `WG_HELM_LIMIT` for a word that is none
 */
export function parseLimits(text: string): Partial<Record<LimitName, number>> {
  const limits: Partial<Record<LimitName, number>> = {};
  for (const word of text.split(',').filter((each) => each.trim() !== '')) {
    const [, name, number] = /^\s*(steps|bytes|depth)=(\d{1,15})\s*$/.exec(word) ?? [];
    if (name === undefined) {
      const example = 'steps=40000000,bytes=536870912,depth=20000';
      throw new HelmError('WG_HELM_LIMIT', `'${word}' is no limit: write ${example}`);
    }
    limits[name as LimitName] = Number(number);
  }
  return limits;
}

/** Enough for any chart that people write, and a second or so of one that is hostile. */
export const defaultLimits: EngineLimits = {
  steps: 4_000_000,
  bytes: 256 * 1024 * 1024,
  depth: 10_000,
};

/** Counts what a rendering uses, and ends it where that is too much. */
export class Budget {
  readonly limits: EngineLimits;
  #steps: number;
  #bytes: number;
  /** Frames of templates, blocks and brackets that are being executed or parsed in each other, roughly. */
  #frames = 0;
  /** At how many of them the stack was last seen to have room: never more than there are now. */
  #seenAt = 0;

  constructor(limits: EngineLimits = defaultLimits) {
    this.limits = limits;
    this.#steps = limits.steps;
    this.#bytes = limits.bytes;
  }

  /** For the next rendering of the same chart: what the last one made is gone, and some of its steps count again. */
  beginAgain(stepsBack: number): void {
    this.#steps += stepsBack;
    this.#bytes = this.limits.bytes;
    this.#frames = 0;
    this.#seenAt = 0;
  }

  /**
   * Before something is executed in something else, which takes about so many frames; `leave` them after it. An error
   * that ends the rendering needs no leave.
   *
   * @throws RangeError where little of the stack is left
   */
  goInto(frames: number): void {
    this.#frames += frames;
    if (this.#frames - this.#seenAt < framesBetweenLooks) return;
    if (!hasStackLeft()) throw new RangeError('little of the stack is left');
    this.#seenAt = this.#frames;
  }

  leave(frames: number): void {
    this.#frames -= frames;
    if (this.#seenAt > this.#frames) this.#seenAt = this.#frames;
  }

  /** Counts steps before they are done. */
  step(count = 1): void {
    this.#steps -= count;
    if (this.#steps < 0) throw this.#tooMuch(`${this.limits.steps} steps`, 'steps');
  }

  /** Counts text and items before they are made. */
  make(bytes: number): void {
    this.#bytes -= bytes;
    if (!(this.#bytes >= 0)) throw this.#tooMuch(`${this.limits.bytes} bytes`, 'bytes');
  }

  /**
   * Refuses values that nest deeper than allowed, or than the stack of this process surely holds: what a program does
   * at the very end of its stack is not to be relied on.
   */
  nest(depth: number): void {
    if (depth <= surelyHeld) this.enter(depth);
    else throw this.#tooMuch(`a depth of ${Math.min(surelyHeld, this.limits.depth)}`, 'depth');
  }

  /** Refuses templates that nest deeper than allowed. */
  enter(depth: number): void {
    if (depth > this.limits.depth) throw this.#tooMuch(`a depth of ${this.limits.depth}`, 'depth');
  }

  /** Counts the tree of a template's text before it is parsed; one that is parsed for one call counts more. */
  parse(text: string, times = 1): void {
    const actions = actionsIn(text);
    const long = Math.max(0, lettersInActions(text) - actions * lettersOfAction);
    const steps = 1 + (text.length >> 4) + actions * stepsOfAction + long * stepsOfLetter;
    this.step(times * steps);
    this.make(text.length + actions * bytesOfAction);
  }

  /** How much may still be made. */
  get room(): number {
    return this.#bytes;
  }

  /** How many steps may still be done. */
  get stepsLeft(): number {
    return this.#steps;
  }

  #tooMuch(what: string, option: LimitName): HelmError {
    const how = this.limits.how?.(option) ?? `raise limits.${option}`;
    return new HelmError(
      'WG_HELM_LIMIT',
      `the templates use more than ${what}: if they are to be trusted, ${how}`,
    );
  }
}
