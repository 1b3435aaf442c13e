import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import type { Command } from 'commander';
import {
  type ClusterFlags,
  clusterOptions,
  type ReportedObject,
  readyOf,
  reportedKinds,
  withCluster,
} from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { allowGoBooleans } from '../flux/flux-flags.ts';
import { outputOption, print } from '../output.ts';
import { type Cell, fittingTable, terminalOf } from '../terminal.ts';

interface Flags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly output: string;
}

interface KindCount {
  readonly kind: string;
  readonly running: number;
  readonly failing: number;
  readonly suspended: number;
  /** Bytes of artifacts. */
  readonly storage: number;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('-A, --all-namespaces', 'of all namespaces')
    .addHelpText(
      'after',
      `
Counts what is reconciled, by kind: what runs, fails and is suspended, and what artifacts take. Without -n
and -A the kubeconfig's namespace is looked at, and all of them when there is nothing in it.

Examples:
  waygate stats
  waygate stats -A -o json`,
    )
    .action((flags: Flags) => run(flags, context));
  allowGoBooleans(command);
  outputOption(command);
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const counts = await withCluster(flags, context, async (client, own) => {
    const isEverywhere = flags.allNamespaces === true;
    const here = await countsOf(client, isEverywhere ? undefined : own);
    const isEmpty = here.every(({ running, suspended }) => running + suspended === 0);
    if (!isEmpty || isEverywhere || flags.namespace !== undefined) return here;
    const everywhere = await countsOf(client, undefined).catch((error: unknown) => {
      if (isForbidden(error)) return here;
      throw error;
    });
    if (everywhere.some(({ running, suspended }) => running + suspended > 0))
      context.stderr.write(`There are none in the namespace ${own}; these are of all.\n`);
    return everywhere;
  });
  const head = ['RECONCILERS', 'RUNNING', 'FAILING', 'SUSPENDED', 'STORAGE'];
  const rows = counts.map(({ kind, running, failing, suspended, storage }): Cell[] => [
    { text: kind },
    { text: String(running) },
    { text: String(failing), ...(failing > 0 ? { tone: 'bad' } : {}) },
    { text: String(suspended), ...(suspended > 0 ? { tone: 'odd' } : {}) },
    { text: sizeText(storage) },
  ]);
  const faint = head.map((text): Cell => ({ text, tone: 'faint' }));
  print(context, flags.output, counts, fittingTable([faint, ...rows], terminalOf(context)));
}

async function countsOf(client: KubeClient, namespace: string | undefined): Promise<KindCount[]> {
  const counts: KindCount[] = [];
  for (const kind of reportedKinds) {
    let items: readonly ReportedObject[] = [];
    try {
      const scope = namespace === undefined ? {} : { namespace };
      ({ items } = await client.resource(kind).listAll(scope));
    } catch (error) {
      // A cluster need not know every kind.
      if (!isNotFound(error)) throw error;
    }
    const suspended = items.filter(({ spec }) => spec?.suspend === true).length;
    counts.push({
      kind: kind.kind,
      running: items.length - suspended,
      failing: items.filter((item) => readyOf(item)?.status === 'False').length,
      suspended,
      storage: items.reduce((sum, { status }) => sum + (status?.artifact?.size ?? 0), 0),
    });
  }
  return counts;
}

/** As flux says it: `-`, `12 B`, `1.5 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes === 0) return '-';
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 6);
  return `${(bytes / 1024 ** power).toFixed(1)} ${'KMGTPE'[power - 1]}iB`;
}
