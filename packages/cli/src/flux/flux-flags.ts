import { formatDuration, parseDuration } from '@waygate/text';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** One flag of a command that flux has, under its name there. */
export interface FluxFlag {
  readonly name: string;
  readonly short?: string;
  readonly summary: string;
  /** A list takes commas, and may be repeated; a duration is one of Go's. Default `text`. */
  readonly kind?: 'text' | 'list' | 'bool' | 'duration';
  readonly choices?: readonly string[];
  readonly default?: string;
}

/** What was given on a command line, by the names of the flags. */
export class FluxValues {
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  /** The text of a flag; undefined when it is absent or empty, which is the same to flux. */
  text(name: string): string | undefined {
    const value = this.#given[camel(name)];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  list(name: string): readonly string[] {
    return (this.#given[camel(name)] as readonly string[] | undefined) ?? [];
  }

  isSet(name: string): boolean {
    return this.#given[camel(name)] === true;
  }

  /** A duration as Go prints it, `1m0s`; undefined when there is none or it is zero. */
  duration(name: string): string | undefined {
    const value = this.#given[camel(name)] as number | undefined;
    return value === undefined || value === 0 ? undefined : formatDuration(value);
  }
}

/** Declares the flags of a command. */
export function declareFluxFlags(command: Command, flags: readonly FluxFlag[]): void {
  for (const flag of flags) command.addOption(optionOf(flag));
}

function optionOf({ name, short, summary, kind = 'text', choices, default: value }: FluxFlag) {
  const takes = { text: ' <value>', list: ' <values>', bool: '', duration: ' <duration>' }[kind];
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}${takes}`;
  const option = new Option(spelling, summary);
  if (choices !== undefined) option.choices([...choices]);
  if (kind === 'duration') {
    option.argParser(milliseconds);
    if (value !== undefined) option.default(milliseconds(value), value);
  } else if (kind === 'list') {
    option.argParser((text: string, before: readonly string[] = []) => [
      ...before,
      ...text.split(','),
    ]);
  } else if (value !== undefined) option.default(value);
  return option;
}

function milliseconds(text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new InvalidArgumentError('must be a duration such as 90s or 5m.');
  }
}

function camel(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}
