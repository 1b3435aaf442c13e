import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { allowGoBooleans } from './go-booleans.ts';
import { lateOptions } from './late-options.ts';
import type { Verb } from './verb.ts';
import { verbs } from './verbs.ts';
import { version } from './version.ts';

/**
 * Builds the command tree. Only the verbs named by `path` are loaded (all of them when `path` is
 * undefined); the others are known by name and summary, or with `isAlone` not at all.
 */
export async function buildProgram(
  context: CliContext,
  path: readonly string[] | undefined,
  { isAlone = false }: { readonly isAlone?: boolean } = {},
): Promise<Command> {
  const program = new Command('waygate')
    .description('Carries a change from a Git commit to live traffic.')
    .version(version, '--version', 'print the version')
    .helpCommand('help [verb]', 'show what a verb does')
    // What follows a verb is the verb's: `waygate pull web --version 1.2.3` is about a chart.
    .enablePositionalOptions();
  settle(program, context, 'waygate');
  const named = isAlone ? verbs.filter((verb) => isCalled(verb, path?.[0])) : [];
  await addVerbs(program, named.length > 0 ? named : verbs, context, path, 'waygate');
  return program;
}

async function addVerbs(
  parent: Command,
  below: readonly Verb[],
  context: CliContext,
  path: readonly string[] | undefined,
  above: string,
): Promise<void> {
  for (const verb of below) {
    const words = `${above} ${verb.name}`;
    const command = parent.command(verb.name).description(verb.summary);
    if (verb.aliases !== undefined) command.aliases(verb.aliases);
    settle(command, context, words);
    if (path !== undefined && !isCalled(verb, path[0])) continue;
    const module = await verb.load();
    module.configure(command, context, () => buildProgram(context, undefined));
    lateOptions(command);
    if (module.verbs !== undefined)
      await addVerbs(command, module.verbs, context, path?.slice(1), words);
  }
}

function isCalled({ name, aliases = [] }: Verb, word: string | undefined): boolean {
  return word !== undefined && (word === name || aliases.includes(word));
}

/** What every command has; `words` is how it is called, so that the hint is one that can be typed. */
function settle(command: Command, context: CliContext, words: string): void {
  allowGoBooleans(command);
  command
    .exitOverride()
    .showHelpAfterError(`(${words} --help shows the options)`)
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    });
}
