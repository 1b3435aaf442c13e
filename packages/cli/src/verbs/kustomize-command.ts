import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { directoryFileSystem, type EditCommand, type EditFlag, runEdit } from '@waygate/kustomize';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { replaceFile } from '../replace-file.ts';

/**
 * Declares a command of the kustomize room for the help and for completion; its words are read as
 * kustomize does. `above` are the verbs that it stands below.
 */
export function configureKustomizeCommand(
  command: Command,
  edit: EditCommand,
  context: CliContext,
  above: readonly string[],
): void {
  command.description(edit.summary);
  if (edit.operands !== undefined) command.usage(`[options] ${edit.operands}`);
  for (const flag of edit.flags ?? []) command.option(spelling(flag), flag.summary);
  const examples = edit.examples
    .map((example) => `  ${['waygate', ...above, example].join(' ')}`)
    .join('\n');
  const about = edit.about === undefined ? '' : `\n${edit.about}\n`;
  command.addHelpText('after', `${about}\nExamples:\n${examples}`);
  command.argument('[words...]');
  command.parseOptions = (words) => ({
    operands: [...words],
    unknown: words.some((word) => word === '--help' || word === '-h') ? ['--help'] : [],
  });
  command.action(() => {
    const words = wordsAfter(command, [...above, ...edit.path]);
    perform(edit, words, context);
  });
}

/** What was typed after a command's name. The parser of the verbs above drops a `--`. */
function wordsAfter(command: Command, path: readonly string[]): readonly string[] {
  let root = command;
  while (root.parent !== null) root = root.parent;
  let { rawArgs: words } = root as Command & { readonly rawArgs: readonly string[] };
  for (const name of path) words = words.slice(words.indexOf(name) + 1);
  return words;
}

function spelling({ name, short, kind }: EditFlag): string {
  const value = kind === 'bool' ? '' : ' <value>';
  return `${short === undefined ? '' : `-${short}, `}--${name}${value}`;
}

function perform(edit: EditCommand, words: readonly string[], context: CliContext): void {
  const outcome = runEdit(edit, words, {
    fileSystem: directoryFileSystem('/'),
    directory: context.cwd,
  });
  for (const { path, content } of outcome.writes) {
    mkdirSync(dirname(path), { recursive: true });
    replaceFile(path, content);
  }
  for (const { text, isLogged } of outcome.messages) {
    context.stderr.write(`${isLogged ? `${logTime(new Date())} ` : ''}${text}\n`);
  }
  context.stdout.write(outcome.stdout);
  if (outcome.problem !== undefined) {
    throw new CliError(outcome.problem, { exitCode: exitCode.failed });
  }
}

/** As Go's log writes the time: local, to the second. */
export function logTime(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}/${two(date.getMonth() + 1)}/${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
