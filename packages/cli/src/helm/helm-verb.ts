import { type FlagDefinition, flagsOf, globalFlags, type HelmMajor, runHelm } from '@waygate/helm';
import { type Command, Option } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { helmWorld } from './helm-world.ts';

const unused = /not used$/;

/**
 * Declares one of Helm's commands. Its flags are Helm's, and are read by Helm's rules and not by
 * commander's: what follows the verb goes on as it is.
 */
export function configureHelmVerb(
  command: Command,
  context: CliContext,
  path: readonly string[],
  more: string,
): void {
  const name = path.join(' ');
  command.argument('[arguments...]').allowUnknownOption().allowExcessArguments();
  for (const flag of [...flagsOf(name, 4), ...globalFlags]) {
    if (!unused.test(flag.help) && flag.name !== 'help') command.addOption(optionOf(flag));
  }
  command.addOption(
    new Option('--helm <major>', "whose rules count: Helm 3's or Helm 4's (default 4)"),
  );
  // Commander would stop at a flag that it finds wrong, in other words than Helm's.
  command.parseOptions = (argv) => ({ operands: [], unknown: argv });
  command.addHelpText(
    'after',
    `${more}

Flags are Helm's; those about a cluster are taken and not used. WAYGATE_HELM=3 chooses Helm 3's rules.`,
  );
  command.action(async () => {
    const { helm, words } = helmOf(command.args, context);
    context.exitCode = await runHelm([...path, ...words], helmWorld(context, helm));
  });
}

function optionOf({ name, short, kind, help, value = 'text' }: FlagDefinition): Option {
  const shown = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return new Option(kind === 'bool' ? shown : `${shown} <${value}>`, help);
}

/** Takes `--helm` out of the words. */
function helmOf(
  words: readonly string[],
  { env }: CliContext,
): { helm: HelmMajor; words: readonly string[] } {
  const at = words.findIndex((word) => word === '--helm' || word.startsWith('--helm='));
  const end = words.indexOf('--');
  const isGiven = at >= 0 && (end < 0 || at < end);
  const isApart = words[at] === '--helm';
  const given = !isGiven ? env.WAYGATE_HELM || '4' : isApart ? words[at + 1] : words[at]!.slice(7);
  if (given !== '3' && given !== '4') {
    throw new CliError(`--helm is 3 or 4, not '${given ?? ''}'`, { exitCode: exitCode.usage });
  }
  const rest = isGiven ? words.toSpliced(at, isApart ? 2 : 1) : words;
  return { helm: given === '3' ? 3 : 4, words: rest };
}
