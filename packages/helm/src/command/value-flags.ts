import { mergeMaps, readValuesFile } from '../chart/values-file.ts';
import { decodeBytes } from '../go/bytes.ts';
import { GoMap } from '../go/value.ts';
import { goValueFromJson } from '../values/read-values.ts';
import { EmptyItems, type SetKind, setValues } from '../values/set-values.ts';
import { CommandError } from './command-error.ts';
import type { ParsedFlags } from './flag-set.ts';
import { absolute } from './paths.ts';
import { statusText } from './repositories.ts';
import { fetchOptions } from './repository-flags.ts';
import type { CommandWorld } from './world.ts';

const setFlags: readonly (readonly [string, SetKind])[] = [
  ['set', 'typed'],
  ['set-string', 'string'],
  ['set-file', 'file'],
  ['set-literal', 'literal'],
];

/**
 * The values of a command line: files, then `--set-json`, `--set`, `--set-string`, `--set-file` and
 * `--set-literal`, in this order whatever theirs is.
 *
 * @throws CommandError
 */
export async function readValueFlags(flags: ParsedFlags, world: CommandWorld): Promise<GoMap> {
  let values = new GoMap();
  for (const path of flags.list('values')) {
    const text = await readAnywhere(path, flags, world);
    const file = attempt(`failed to parse ${path}: `, () => readValuesFile(text, world.helm));
    values = mergeMaps(values, file);
  }
  const emptyItems = new EmptyItems();
  for (const text of flags.list('set-json')) values = setJson(values, text, emptyItems, world);
  const contents = new Map<string, string | Error>();
  for (const path of flags.list('set-file').flatMap(filesIn)) {
    contents.set(path, await readAnywhere(path, flags, world).catch((error: Error) => error));
  }
  for (const [flag, kind] of setFlags) {
    for (const text of flags.list(flag)) {
      const readFile = (path: string): string => {
        const fetched = contents.get(path) ?? readLocal(path, world);
        if (typeof fetched === 'string') return fetched;
        throw fetched;
      };
      const { helm } = world;
      attempt(`failed parsing --${flag} data: `, () =>
        setValues(values, text, { kind, readFile, helm, emptyItems }),
      );
    }
  }
  return values;
}

function setJson(
  values: GoMap,
  text: string,
  emptyItems: EmptyItems,
  { helm }: CommandWorld,
): GoMap {
  const trimmed = text.trim();
  if (helm === 4 && trimmed.startsWith('{')) {
    try {
      const parsed = goValueFromJson(trimmed);
      if (parsed instanceof GoMap) return mergeMaps(values, parsed);
    } catch {
      // Said below: Helm does not tell why.
    }
    throw new CommandError(`failed parsing --set-json data JSON: ${text}`);
  }
  try {
    setValues(values, text, { kind: 'json', helm, emptyItems });
  } catch {
    throw new CommandError(`failed parsing --set-json data ${text}`);
  }
  return values;
}

/** The paths that a `--set-file` may mean: those that lie elsewhere are fetched before it is read. */
function filesIn(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
    .filter((path) => path.trim() === '-' || /^https?:/.test(path));
}

/** A file, standard input for `-`, or what an address has. */
async function readAnywhere(
  path: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<string> {
  if (path.trim() === '-' && world.readStdin !== undefined) return await world.readStdin();
  if (/^https?:\/\//.test(path)) {
    if (world.network === undefined) throw new CommandError(`no network to fetch ${path} with`);
    const { status, data } = await world.network.fetch(path, fetchOptions(flags));
    if (status !== 200) throw new CommandError(`failed to fetch ${path} : ${statusText(status)}`);
    return decodeBytes(data);
  }
  return readLocal(path, world);
}

function readLocal(path: string, world: CommandWorld): string {
  const place = absolute(world, path);
  const status = world.files.status(place);
  if (status === undefined) throw new CommandError(`open ${path}: no such file or directory`);
  if (status.kind === 'directory') throw new CommandError(`read ${path}: is a directory`);
  return decodeBytes(world.files.read(place));
}

function attempt<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new CommandError(`${prefix}${(cause as Error).message}`, { cause });
  }
}
