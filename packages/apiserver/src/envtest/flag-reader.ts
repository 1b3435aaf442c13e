/** What a flag is to its program. */
export interface FlagKinds {
  /** Those that take a value. */
  readonly values: ReadonlySet<string>;
  /** Those that are on or off, and on when they are only named. */
  readonly switches: ReadonlySet<string>;
}

/** A command line that a Go program would refuse, too. */
export class FlagError extends Error {}

/** Reads flags as Go programs do: `--name=value`, `--name value`, and as often as one likes. */
export function readFlags(args: readonly string[], kinds: FlagKinds): Map<string, string[]> {
  const flags = new Map<string, string[]>();
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] as string;
    const match = /^--?([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(argument);
    if (match === null) throw new FlagError(`unknown command ${JSON.stringify(argument)}`);
    const name = match[1] as string;
    let value = match[2];
    if (kinds.switches.has(name)) value ??= 'true';
    else if (!kinds.values.has(name)) throw new FlagError(`unknown flag: --${name}`);
    else if (value === undefined) {
      index++;
      value = args[index];
      if (value === undefined) throw new FlagError(`flag needs an argument: --${name}`);
    }
    flags.set(name, [...(flags.get(name) ?? []), value as string]);
  }
  return flags;
}

/** The last value of a flag, which is the one that counts. */
export function lastFlag(
  flags: ReadonlyMap<string, readonly string[]>,
  name: string,
): string | undefined {
  return flags.get(name)?.at(-1);
}

/** All values of a flag that is a list, however it was given. */
export function listFlag(
  flags: ReadonlyMap<string, readonly string[]>,
  name: string,
): readonly string[] {
  return (flags.get(name) ?? [])
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
