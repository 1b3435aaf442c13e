import {
  type FlagDefinition,
  flagsOf,
  globalFlags,
  type HelmMajor,
  parseLimits,
  runHelm,
} from '@waygate/helm';
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
  command.addOption(
    new Option('--limits <list>', 'what rendering may use: steps=N,bytes=N,depth=N'),
  );
  // Commander would stop at a flag that it finds wrong, in other words than Helm's.
  command.parseOptions = (argv) => ({ operands: [], unknown: argv });
  command.addHelpText(
    'after',
    `${more}

Flags are Helm's; a cluster is asked only by templates, with --dry-run=server or --validate. WAYGATE_HELM=3 chooses Helm 3's rules.`,
  );
  command.action(async () => {
    const { helm, limits, words } = ownFlags(command.args, context);
    context.exitCode = await runHelm([...path, ...words], helmWorld(context, helm, limits));
  });
}

function optionOf({ name, short, kind, help, value = 'text' }: FlagDefinition): Option {
  const shown = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return new Option(kind === 'bool' ? shown : `${shown} <${value}>`, help);
}

/** Takes what is ours out of the words: `--helm` and `--limits`. */
function ownFlags(
  given: readonly string[],
  { env }: CliContext,
): { helm: HelmMajor; limits: string | undefined; words: readonly string[] } {
  const helm = taken('--helm', given);
  const limits = taken('--limits', helm.words);
  const major = helm.value ?? (env.WAYGATE_HELM || '4');
  if (major !== '3' && major !== '4') {
    throw new CliError(`--helm is 3 or 4, not '${major}'`, { exitCode: exitCode.usage });
  }
  try {
    parseLimits(limits.value ?? '');
  } catch (error) {
    throw new CliError(`--limits: ${(error as Error).message}`, { exitCode: exitCode.usage });
  }
  return { helm: major === '3' ? 3 : 4, limits: limits.value, words: limits.words };
}

/** The value of a flag that takes one, and the words without it. */
function taken(
  flag: string,
  words: readonly string[],
): { value: string | undefined; words: readonly string[] } {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const end = words.indexOf('--');
  if (at < 0 || (end >= 0 && at > end)) return { value: undefined, words };
  const isApart = words[at] === flag;
  const value = isApart ? (words[at + 1] ?? '') : words[at]!.slice(flag.length + 1);
  return { value, words: words.toSpliced(at, isApart ? 2 : 1) };
}
