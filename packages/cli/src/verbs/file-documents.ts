import { realpathSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { KongError, writeJson } from '@waygate/kong';
import { readStateDocument, type StateObject } from '@waygate/kong/rewrite';
import { printYaml, withSortedKeys, writeWholeFile } from '@waygate/text';
import { type Command, Option } from 'commander';
import { type CliContext, CliError } from '../context.ts';

/** What the verbs that rewrite one declarative file have in common. */
export interface RewriteOptions extends WriteOptions {
  readonly state: string;
}

/** Where the outcome goes. */
export interface WriteOptions {
  readonly outputFile: string;
  readonly format: 'yaml' | 'json';
}

/** The file to read, and where and how to write. */
export function rewriteOptions(command: Command): Command {
  return writeOptions(
    command.option('-s, --state <file>', 'the declarative file; - is the standard input', '-'),
  );
}

export function writeOptions(command: Command): Command {
  return command
    .option('-o, --output-file <file>', 'where to write; - is the standard output', '-')
    .addOption(
      new Option('--format <format>', 'how to write').choices(['yaml', 'json']).default('yaml'),
    );
}

/** The text of a file, or of the standard input. */
export async function readInput(file: string, context: CliContext): Promise<string> {
  if (file === '-') return text(context.stdin);
  try {
    return await readFile(resolve(context.cwd, file), 'utf8');
  } catch (error) {
    throw new CliError(`cannot read ${file}: ${(error as Error).message}`);
  }
}

export async function readDocument(file: string, context: CliContext): Promise<StateObject> {
  return readStateDocument(await readInput(file, context), file === '-' ? 'standard input' : file);
}

/** Writes with sorted keys, as decK does. */
export async function writeDocument(
  document: StateObject,
  { outputFile, format }: WriteOptions,
  context: CliContext,
): Promise<void> {
  await writeOutput(
    format === 'json'
      ? `${writeJson(withSortedKeys(document) as StateObject)}\n`
      : printYaml(document),
    outputFile,
    context,
  );
}

export async function writeOutput(
  content: string,
  outputFile: string,
  context: CliContext,
): Promise<void> {
  if (outputFile === '-') {
    context.stdout.write(content);
    return;
  }
  const path = resolve(context.cwd, outputFile);
  const found = statSync(path, { throwIfNoEntry: false });
  // Declarative files hold credentials, and are often written over themselves: never half of one.
  if (found === undefined) writeWholeFile(path, content);
  else if (found.isFile()) writeWholeFile(realpathSync(path), content);
  else await writeFile(path, content);
}

/** Reads a file, changes it, and writes it; what is wrong with a file ends the verb. */
export async function rewrite(
  options: RewriteOptions,
  context: CliContext,
  change: (document: StateObject) => void | Promise<void>,
): Promise<void> {
  await refusing(async () => {
    const document = await readDocument(options.state, context);
    await change(document);
    await writeDocument(document, options, context);
  });
}

/** Turns what is wrong with a file into the verb's failure. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KongError) throw new CliError(error.message);
    throw error;
  }
}
