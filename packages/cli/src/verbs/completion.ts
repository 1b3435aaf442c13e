import { isForbidden, isNotFound, loadKubeconfig } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { Argument, type Command } from 'commander';
import { selectionOf } from '../cluster-objects.ts';
import { reportedKindNames, withCluster } from '../cluster-option.ts';
import { type CommandShape, completionScript, isShell, shells } from '../completion-script.ts';
import type { CliContext } from '../context.ts';
import type { WholeProgram } from '../verb.ts';

/** What the scripts ask for while somebody types. */
const questions = ['objects', 'namespaces', 'contexts'];

/** A shell waits no longer for a cluster. */
const patienceMs = 2_000;

export function configure(command: Command, context: CliContext, wholeProgram: WholeProgram): void {
  command
    .addArgument(
      new Argument('<shell>', 'the shell to complete in').choices([...shells, ...questions]),
    )
    .argument('[words...]', 'what was typed so far, for the scripts themselves')
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText(
      'after',
      `
The script completes verbs, options and their values, and asks the cluster for names of objects and
namespaces, and the kubeconfig for its contexts.

Examples:
  source <(waygate completion bash)
  waygate completion zsh > "\${fpath[1]}/_waygate"
  waygate completion fish > ~/.config/fish/completions/waygate.fish`,
    )
    .action(async (shell: string, words: readonly string[]) => {
      if (!isShell(shell)) {
        for (const word of await answers(shell, words, context)) context.stdout.write(`${word}\n`);
        return;
      }
      if (words.some((word) => word === '--help' || word === '-h')) command.help();
      const program = await wholeProgram();
      context.stdout.write(completionScript(shell, shapeOf(program)));
    });
}

async function answers(
  question: string,
  words: readonly string[],
  context: CliContext,
): Promise<readonly string[]> {
  try {
    if (question === 'contexts') {
      const { contexts } = await loadKubeconfig({ environment: context.env });
      return [...contexts.keys()].sort();
    }
    if (question === 'namespaces') return await namespaces(context);
    return await objects(words, context);
  } catch {
    // Nobody wants to read of a cluster that is away in the middle of a line.
    return [];
  }
}

function namespaces(context: CliContext): Promise<readonly string[]> {
  return withCluster({}, context, async (client) => {
    const signal = AbortSignal.timeout(patienceMs);
    const { items } = await client.resource(kinds.Namespace).listAll({}, { signal });
    return items.map(({ metadata }) => metadata.name ?? '');
  });
}

/** Kinds, or the names of those of the kind that was typed. */
async function objects(words: readonly string[], context: CliContext): Promise<readonly string[]> {
  const given: string[] = [];
  let namespace: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (/^(?:-n|--namespace|--context|--kubeconfig|-o|--output)$/.test(word)) {
      index += 1;
      if (word === '-n' || word === '--namespace') namespace = words[index];
    } else if (!word.startsWith('-')) given.push(word);
  }
  const isOfSources = /^sources?$/i.test(given[0] ?? '');
  if (given.length === 0) return ['all', 'source', ...reportedKindNames];
  if (isOfSources && given.length === 1) {
    return ['all', 'git', 'oci', 'bucket', 'helm', 'chart', 'external'];
  }
  if (given.length > (isOfSources ? 2 : 1)) return [];
  const { kinds: wanted } = selectionOf(given);
  const flags = namespace === undefined ? {} : { namespace };
  return withCluster(flags, context, async (client) => {
    const signal = AbortSignal.timeout(patienceMs);
    const found = new Set<string>();
    for (const kind of wanted) {
      try {
        const { items } = await client.resource(kind).listAll(flags, { signal });
        for (const { metadata } of items) found.add(metadata.name ?? '');
      } catch (error) {
        if (!isNotFound(error) && !isForbidden(error)) throw error;
      }
    }
    return [...found].sort();
  });
}

function shapeOf(command: Command): CommandShape {
  return {
    name: command.name(),
    summary: command.description(),
    options: command.options.map(({ long, short, description, argChoices }) => ({
      name: long ?? '',
      short: short ?? undefined,
      summary: description,
      values: argChoices,
    })),
    commands: command.commands.map(shapeOf),
  };
}
