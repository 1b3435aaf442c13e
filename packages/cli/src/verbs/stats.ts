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
import { listOutputOption, printListing } from '../output.ts';
import type { Cell } from '../terminal.ts';

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
  /** Of those that run: what is as it should be, and what is on its way. */
  readonly ready: number;
  readonly progressing: number;
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
  listOutputOption(command);
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
  const isWide = flags.output === 'wide';
  const more = isWide ? ['READY', 'PROGRESSING', 'BYTES'] : [];
  const titles = ['RECONCILERS', 'RUNNING', 'FAILING', 'SUSPENDED', 'STORAGE', ...more];
  printListing(context, flags.output, {
    data: counts,
    names: counts
      .filter(({ running, suspended }) => running + suspended > 0)
      .map(({ kind }) => kind.toLowerCase()),
    columns: titles.map((title) => ({ title })),
    rows: () => counts.map((count) => rowOf(count, isWide)),
    none: '',
  });
}

function rowOf(
  { kind, running, failing, suspended, storage, ready, progressing }: KindCount,
  isWide: boolean,
): Cell[] {
  const more = isWide ? [ready, progressing, storage] : [];
  return [
    { text: kind },
    { text: String(running) },
    { text: String(failing), ...(failing > 0 ? { tone: 'bad' } : {}) },
    { text: String(suspended), ...(suspended > 0 ? { tone: 'odd' } : {}) },
    { text: sizeText(storage) },
    ...more.map((number) => ({ text: String(number) })),
  ];
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
    const active = items.filter(({ spec }) => spec?.suspend !== true);
    const stateCount = (state: string) =>
      active.filter((item) => (readyOf(item)?.status ?? 'Unknown') === state).length;
    counts.push({
      kind: kind.kind,
      running: active.length,
      failing: items.filter((item) => readyOf(item)?.status === 'False').length,
      suspended: items.length - active.length,
      storage: items.reduce((sum, { status }) => sum + (status?.artifact?.size ?? 0), 0),
      ready: stateCount('True'),
      progressing: stateCount('Unknown'),
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
