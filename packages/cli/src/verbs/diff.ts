import { type Command, Option } from 'commander';
import { objectOf } from '../cluster-objects.ts';
import { clusterOptions } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption } from '../output.ts';
import { givenKustomizationOptions } from './given-kustomization.ts';
import { type PreviewFlags, showPreview } from './preview.ts';

/** What `flux diff` ends with: it is 1 that says that something differs there. */
const ends = { same: 0, different: 1, refused: 2 } as const;

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('<object...>', 'kustomization NAME; or ks/NAME')
    .option('--no-gateway', 'do not show what would change in the gateway')
    .option('--ingress-class <name>', 'the class of objects that the gateway serves', 'kong')
    .option(
      '--strict-substitute',
      'refuse variables that have no value; as the controllers do, unless =false',
    )
    .option('--progress-bar', 'taken and not used: nothing is drawn', true)
    .addOption(new Option('--in-memory-build', 'it always is').hideHelp())
    .addHelpText(
      'after',
      `
Another name of "waygate preview ks/NAME", for fingers that know "flux diff kustomization": what applying
would change. Ends as that does, with 0 when nothing would change, 1 when something would, and 2 when it
could not be told.

Examples:
  waygate diff kustomization apps --path ./apps
  waygate diff ks/apps --path ./apps --kustomization-file ./clusters/a/apps.yaml
  waygate diff ks/apps`,
    )
    .action((words: readonly string[], flags: PreviewFlags) => run(words, flags, context));
  givenKustomizationOptions(command);
  outputOption(command);
}

async function run(
  words: readonly string[],
  flags: PreviewFlags,
  context: CliContext,
): Promise<void> {
  const { kind, name } = objectOf(words);
  if (kind.kind !== 'Kustomization') {
    throw new CliError('only a Kustomization is compared', { exitCode: exitCode.usage });
  }
  try {
    context.exitCode = ends[await showPreview('ks', name, flags, context)];
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== exitCode.failed) throw error;
    const { message, hint } = error;
    throw new CliError(message, {
      exitCode: ends.refused,
      cause: error,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}
