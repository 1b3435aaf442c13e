import { goQuote } from '@waygate/text';
import { KustomizeError } from '../kustomize-error.ts';
import { parseCsvLine } from './csv-line.ts';

/** A flag of a command. */
export interface EditFlag {
  readonly name: string;
  readonly short?: string;
  /** `list` takes values with commas between them, `array` one value each time. */
  readonly kind: 'string' | 'bool' | 'list' | 'array';
  readonly summary: string;
  readonly default?: string;
}

/** The words and flags of a command line. */
export class EditArguments {
  readonly words: string[] = [];
  readonly #values = new Map<string, string[]>();

  add(name: string, values: readonly string[], isMany: boolean): void {
    const before = isMany ? (this.#values.get(name) ?? []) : [];
    this.#values.set(name, [...before, ...values]);
  }

  /** The value of a flag, or the empty string. */
  text(name: string): string {
    return this.#values.get(name)?.at(-1) ?? '';
  }

  isGiven(name: string): boolean {
    return this.#values.has(name);
  }

  isOn(name: string): boolean {
    return this.text(name) === 'true';
  }

  many(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

/** Reads a command line as the original does: flags stand anywhere, `--` ends them. */
export function parseArguments(
  given: readonly string[],
  flags: readonly EditFlag[],
): EditArguments {
  const result = new EditArguments();
  for (const flag of flags) {
    if (flag.default !== undefined) result.add(flag.name, [flag.default], false);
  }
  const rest = [...given];
  while (rest.length > 0) {
    const word = rest.shift()!;
    if (word === '--') {
      result.words.push(...rest);
      break;
    }
    if (word.startsWith('--')) takeLong(word, rest, flags, result);
    else if (word.startsWith('-') && word !== '-') takeShort(word, rest, flags, result);
    else result.words.push(word);
  }
  return result;
}

function takeLong(
  word: string,
  rest: string[],
  flags: readonly EditFlag[],
  result: EditArguments,
): void {
  const body = word.slice(2);
  if (body.startsWith('-') || body.startsWith('=')) {
    throw new KustomizeError(`bad flag syntax: ${word}`);
  }
  const equals = body.indexOf('=');
  const name = equals < 0 ? body : body.slice(0, equals);
  const flag = flags.find((each) => each.name === name);
  if (flag === undefined) throw new KustomizeError(`unknown flag: --${name}`);
  const value = equals >= 0 ? body.slice(equals + 1) : flag.kind === 'bool' ? 'true' : rest.shift();
  if (value === undefined) throw new KustomizeError(`flag needs an argument: ${word}`);
  take(flag, value, result);
}

function takeShort(
  word: string,
  rest: string[],
  flags: readonly EditFlag[],
  result: EditArguments,
): void {
  for (let letters = word.slice(1); letters !== ''; letters = letters.slice(1)) {
    const flag = flags.find((each) => each.short === letters[0]);
    if (flag === undefined) {
      throw new KustomizeError(`unknown shorthand flag: '${letters[0]}' in -${letters}`);
    }
    if (letters[1] === '=') {
      take(flag, letters.slice(2), result);
      return;
    }
    if (flag.kind === 'bool') {
      take(flag, 'true', result);
      continue;
    }
    const value = letters.length > 1 ? letters.slice(1) : rest.shift();
    if (value === undefined) {
      throw new KustomizeError(`flag needs an argument: '${letters[0]}' in -${letters}`);
    }
    take(flag, value, result);
    return;
  }
}

const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function take(flag: EditFlag, value: string, result: EditArguments): void {
  result.add(flag.name, valuesOf(flag, value), flag.kind === 'list' || flag.kind === 'array');
}

function valuesOf(flag: EditFlag, value: string): readonly string[] {
  const shown = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`;
  const refuse = (reason: string): never => {
    throw new KustomizeError(`invalid argument ${goQuote(value)} for "${shown}" flag: ${reason}`);
  };
  switch (flag.kind) {
    case 'bool':
      if (!trueWords.has(value) && !falseWords.has(value)) {
        refuse(`strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`);
      }
      return [String(trueWords.has(value))];
    case 'list': {
      const parsed = parseCsvLine(value);
      return typeof parsed === 'string' ? refuse(parsed) : parsed;
    }
    case 'array':
    case 'string':
      return [value];
  }
}
