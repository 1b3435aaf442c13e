import { parseGoDuration } from '../go/duration.ts';
import { CommandError } from './command-error.ts';

/** What a flag takes. `strings` are divided at commas, `texts` are not; both may be repeated. */
type FlagKind =
  | 'bool'
  | 'string'
  | 'strings'
  | 'texts'
  | 'number'
  | 'map'
  | 'duration'
  | 'count'
  | 'format';

/** A flag of a command. */
export interface FlagDefinition {
  readonly name: string;
  readonly short?: string;
  readonly kind: FlagKind;
  readonly help: string;
  /** What the flag means when nothing follows it. */
  readonly alone?: string;
  /** What to use instead: said whenever the flag is given. */
  readonly deprecated?: string;
  /** In place of the kind, in the help: `<path>`. */
  readonly value?: string;
}

/** The flags and arguments of one command line. */
export class ParsedFlags {
  readonly args: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(args: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.args = args;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  bool(name: string): boolean {
    return this.#values.get(name)?.at(-1) === 'true';
  }

  text(name: string): string {
    return this.#values.get(name)?.at(-1) ?? '';
  }

  list(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

const trueWords = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const falseWords = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/**
 * Reads flags wherever they stand, until `--`, with the words of Go's pflag for what is wrong.
 *
 * @throws CommandError
 */
export function parseFlags(
  words: readonly string[],
  known: readonly FlagDefinition[],
  warn: (text: string) => void = () => {},
): ParsedFlags {
  return new FlagParser(words, known, warn).parse();
}

class FlagParser {
  readonly #words: readonly string[];
  readonly #known: readonly FlagDefinition[];
  readonly #warn: (text: string) => void;
  readonly #values = new Map<string, string[]>();
  readonly #args: string[] = [];
  #at = 0;

  constructor(
    words: readonly string[],
    known: readonly FlagDefinition[],
    warn: (text: string) => void,
  ) {
    this.#words = words;
    this.#known = known;
    this.#warn = warn;
  }

  parse(): ParsedFlags {
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at++]!;
      if (word === '--') {
        this.#args.push(...this.#words.slice(this.#at));
        break;
      }
      if (word.startsWith('--')) this.#long(word);
      else if (word.startsWith('-') && word.length > 1) this.#short(word);
      else this.#args.push(word);
    }
    return new ParsedFlags(this.#args, this.#values);
  }

  #long(word: string): void {
    const equals = word.indexOf('=');
    const name = word.slice(2, equals < 0 ? undefined : equals);
    if (name === '' || name.startsWith('-')) throw new CommandError(`bad flag syntax: ${word}`);
    const flag = this.#known.find((each) => each.name === name);
    if (flag === undefined) throw new CommandError(`unknown flag: --${name}`);
    if (equals >= 0) this.#set(flag, word.slice(equals + 1));
    else this.#set(flag, this.#valueAlone(flag) ?? this.#next(`--${name}`));
  }

  /** `-n ns`, `-nns`, `-n=ns`, and several of those that take nothing: `-abc`. */
  #short(word: string): void {
    for (let rest = word.slice(1); rest !== ''; ) {
      const letter = rest[0]!;
      const flag = this.#known.find((each) => each.short === letter);
      if (flag === undefined) {
        throw new CommandError(`unknown shorthand flag: '${letter}' in ${word}`);
      }
      const alone = this.#valueAlone(flag);
      rest = rest.slice(1);
      if (rest.startsWith('=')) {
        this.#set(flag, rest.slice(1));
        return;
      }
      if (alone !== undefined) this.#set(flag, alone);
      else {
        this.#set(flag, rest === '' ? this.#next(`'${letter}' in ${word}`) : rest);
        return;
      }
    }
  }

  #valueAlone(flag: FlagDefinition): string | undefined {
    return flag.kind === 'bool' ? 'true' : flag.alone;
  }

  #next(shown: string): string {
    const value = this.#words[this.#at++];
    if (value === undefined) throw new CommandError(`flag needs an argument: ${shown}`);
    return value;
  }

  #set(flag: FlagDefinition, value: string): void {
    const before = this.#values.get(flag.name) ?? [];
    this.#values.set(flag.name, [...before, ...this.#read(flag, value)]);
    if (flag.deprecated !== undefined) {
      this.#warn(`Flag --${flag.name} has been deprecated, ${flag.deprecated}\n`);
    }
  }

  #read(flag: FlagDefinition, value: string): string[] {
    const shown = `${flag.short === undefined ? '' : `-${flag.short}, `}--${flag.name}`;
    const invalid = (reason: string): CommandError =>
      new CommandError(
        `invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${reason}`,
      );
    switch (flag.kind) {
      case 'bool':
        if (trueWords.includes(value)) return ['true'];
        if (falseWords.includes(value)) return ['false'];
        throw invalid(`strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`);
      case 'strings':
        return value === '' ? [] : splitCsv(value);
      case 'number':
        if (!/^[+-]?\d+(\.\d+)?$/.test(value)) {
          throw invalid(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
        }
        return [value];
      case 'count':
        if (!/^\d+$/.test(value)) {
          throw invalid(`strconv.ParseUint: parsing ${JSON.stringify(value)}: invalid syntax`);
        }
        return [value];
      case 'format':
        if (!['table', 'json', 'yaml'].includes(value)) throw invalid('invalid format type');
        return [value];
      case 'map':
        if (!value.includes('=')) throw invalid(`${value} must be formatted as key=value`);
        return [value];
      case 'duration':
        try {
          parseGoDuration(value);
        } catch (cause) {
          throw invalid((cause as Error).message);
        }
        return [value];
      default:
        return [value];
    }
  }
}

/** A line of comma-separated values; quotes keep commas. */
function splitCsv(text: string): string[] {
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y;
  for (;;) {
    const found = field.exec(text);
    if (found === null) return [...fields, text.slice(field.lastIndex)];
    fields.push(found[1] === undefined ? (found[2] ?? '') : found[1].replaceAll('""', '"'));
    if (found[3] === '') return fields;
  }
}
