import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { shortRevision } from '@waygate/text';
import type { Command } from 'commander';
import {
  follow,
  namespaceOf,
  type ObjectSelection,
  objectOf,
  selectionOf,
} from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  noneText,
  type ReportedObject,
  readyOf,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption, print } from '../output.ts';
import { type Cell, fittingTable, type Tone, terminalOf } from '../terminal.ts';

interface Flags extends ClusterFlags {
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  readonly header: boolean;
  readonly selector?: string;
  readonly statusSelector?: string;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('[object...]', 'kustomizations, sources git, …, and a name; all of them when absent')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-w, --watch', 'go on with what changes, until interrupted')
    .option('-l, --selector <labels>', 'only those with these labels')
    .option('--status-selector <type=status>', 'only those with such a condition: ready=false')
    .option('--no-header', 'without the first line')
    .addHelpText(
      'after',
      `
Examples:
  waygate get
  waygate get kustomizations -A
  waygate get sources all -A --status-selector ready=false
  waygate get ks -w
  waygate get source git shop -o yaml`,
    )
    .action((words: readonly string[], flags: Flags) => run(words, flags, context));
  outputOption(command, ['wide', 'name']);
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const selection = selectionOf(words);
  const isWanted = statusFilter(flags.statusSelector);
  if (flags.watch === true) return watch(selection, isWanted, flags, context);
  const objects = await withCluster(flags, context, async (client, own) => {
    const { name } = selection;
    if (name !== undefined) {
      const { kind } = objectOf(words);
      const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
      return [await client.resource(kind).get(name, { namespace })];
    }
    const isEverywhere = flags.allNamespaces === true;
    const here = await listAll(client, selection.kinds, isEverywhere ? undefined : own, flags);
    if (here.length > 0 || isEverywhere || flags.namespace !== undefined) return here;
    // Nobody asked for this namespace: it is the kubeconfig's. What is asked for is where it is.
    const everywhere = await listAll(client, selection.kinds, undefined, flags).catch(
      (error: unknown) => {
        if (isForbidden(error)) return [];
        throw error;
      },
    );
    if (everywhere.length > 0)
      context.stderr.write(`There are none in the namespace ${own}; these are in others.\n`);
    return everywhere;
  });
  const wanted = objects.filter(isWanted);
  const data = selection.name === undefined ? wanted : wanted[0];
  print(context, flags.output, data, textOf(wanted, flags, context));
}

async function listAll(
  client: KubeClient,
  kinds: ObjectSelection['kinds'],
  namespace: string | undefined,
  { selector }: Flags,
): Promise<ReportedObject[]> {
  const query = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
  };
  const found: ReportedObject[] = [];
  for (const kind of kinds) {
    try {
      found.push(...(await client.resource(kind).list(query)).items);
    } catch (error) {
      // A cluster need not know every kind.
      if (!isNotFound(error) || kinds.length === 1) throw error;
    }
  }
  return found;
}

/** One line for each object, and one more whenever what it says has changed. */
async function watch(
  { kinds, name }: ObjectSelection,
  isWanted: (object: ReportedObject) => boolean,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  if (flags.output !== 'text' || flags.selector !== undefined) {
    throw new CliError('--watch goes with text, and without --selector', {
      exitCode: exitCode.usage,
    });
  }
  const last = new Map<string, string>();
  if (flags.header) context.stdout.write(`${watchLine(columns)}\n`);
  await withCluster(flags, context, (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const tell = (object: ReportedObject) => {
      if ((name !== undefined && object.metadata.name !== name) || !isWanted(object)) return;
      const line = watchLine(rowOf(object).map(({ text }) => text));
      const key = `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
      if (last.get(key) === line) return;
      last.set(key, line);
      context.stdout.write(`${line}\n`);
    };
    return follow(client, kinds, namespace, tell, context.signal);
  });
}

const columns = ['NAMESPACE', 'NAME', 'REVISION', 'SUSPENDED', 'READY', 'MESSAGE'];

function watchLine(cells: readonly string[]): string {
  const widths = [16, 32, 51, 9, 7];
  return cells
    .map((cell, index) => cell.padEnd(widths[index] ?? 0))
    .join('   ')
    .trimEnd();
}

/** `ready=false`, and the like, whatever the case. */
function statusFilter(text: string | undefined): (object: ReportedObject) => boolean {
  if (text === undefined) return () => true;
  const [type = '', status = ''] = text.toLowerCase().split('=');
  if (type === '' || !['true', 'false', 'unknown'].includes(status)) {
    throw new CliError(`--status-selector ${text}: must be TYPE=STATUS, such as ready=false`, {
      exitCode: exitCode.usage,
    });
  }
  return (object) =>
    object.status?.conditions?.some(
      (one) => one.type.toLowerCase() === type && one.status.toLowerCase() === status,
    ) === true;
}

function rowOf(object: ReportedObject): Cell[] {
  const ready = readyOf(object);
  const { namespace = '' } = object.metadata;
  const isSuspended = object.spec?.suspend === true;
  return [
    { text: namespace },
    { text: nameOf(object) },
    { text: revisionOf(object) },
    isSuspended ? { text: 'True', tone: 'odd' } : { text: 'False', tone: 'faint' },
    { text: ready?.status ?? 'Unknown', tone: tones[ready?.status ?? ''] ?? 'odd' },
    { text: (ready?.message ?? '').split('\n', 1)[0] ?? '' },
  ];
}

const tones: Readonly<Record<string, Tone | undefined>> = { True: 'good', False: 'bad' };

function nameOf({ kind, metadata }: ReportedObject): string {
  return `${kind?.toLowerCase()}/${metadata.name ?? ''}`;
}

function textOf(
  objects: readonly ReportedObject[],
  { header, allNamespaces, output }: Flags,
  context: CliContext,
): string {
  if (output === 'name') return objects.map(nameOf).join('\n');
  if (objects.length === 0) return noneText(allNamespaces);
  const terminal = terminalOf(context);
  const isShort = terminal.width !== undefined && output !== 'wide';
  const rows = objects.map((object) => {
    const row = rowOf(object);
    return isShort ? row.map((cell) => ({ ...cell, text: shortRevision(cell.text) })) : row;
  });
  const head = columns.map((text): Cell => ({ text, tone: 'faint' }));
  const { width: _, ...unbounded } = terminal;
  return fittingTable(header ? [head, ...rows] : rows, isShort ? terminal : unbounded);
}

/** What was applied, or is offered, or of a release what was tried last. */
function revisionOf({ status }: ReportedObject): string {
  const { lastAppliedRevision, artifact, lastAttemptedRevision } = status ?? {};
  return lastAppliedRevision ?? artifact?.revision ?? lastAttemptedRevision ?? '';
}
