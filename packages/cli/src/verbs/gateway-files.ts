import { isAbsolute, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type DeclarativeConfig,
  type ReadFilesOptions,
  type ReadFilesResult,
  readFiles,
  stateFilesAt,
} from '@waygate/kong';
import { Argument, type Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { collect } from './gateway-option-values.ts';

export interface FileOptions {
  readonly state?: readonly string[];
}

/** Declarative files as arguments, or with decK's older `-s`. */
export function fileArguments(command: Command): Command {
  return command
    .addArgument(
      new Argument('[files...]', 'declarative files or directories, or - for the standard input'),
    )
    .option('-s, --state <file>', 'a declarative file; may be repeated', collect);
}

/** The files of a command line, with their whole paths. */
function pathsOf(files: readonly string[], options: FileOptions, context: CliContext): string[] {
  const given = [...files, ...(options.state ?? [])];
  return (given.length === 0 ? ['kong.yaml'] : given)
    .flatMap((path) => path.split(','))
    .map((path) => (path === '-' || isAbsolute(path) ? path : resolve(context.cwd, path)));
}

/** Each file of a command line, so that each can be a run of its own with its own select_tags. */
export async function separateFiles(
  files: readonly string[],
  options: FileOptions,
  context: CliContext,
): Promise<readonly string[]> {
  const paths = pathsOf(files, options, context);
  if (paths.includes('-')) {
    throw new CliError('cannot use --no-merge with stdin input', { exitCode: exitCode.usage });
  }
  try {
    return (await Promise.all(paths.map(stateFilesAt))).flat();
  } catch (cause) {
    throw new CliError(`reading file: ${(cause as Error).message}`, { cause });
  }
}

/** Reads the files of a command line; what is wrong with them ends the verb. */
export async function readStateFiles(
  files: readonly string[],
  options: FileOptions,
  context: CliContext,
  reading: Pick<ReadFilesOptions, 'isLenient' | 'keepsTemplates'> = {},
): Promise<ReadFilesResult> {
  const result = await readFiles(pathsOf(files, options, context), {
    environment: context.env,
    ...reading,
    readStdin: () => text(context.stdin),
  });
  if (result.problems.length > 0) throw new CliError(result.problems.join('\n'));
  return result;
}

/** Whether a configuration declares nothing at all. */
export function isEmptyConfig(config: DeclarativeConfig): boolean {
  return Object.entries(config).every(
    ([key, value]) => key.startsWith('_') || (Array.isArray(value) && value.length === 0),
  );
}
