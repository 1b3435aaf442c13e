import { isNotFound } from '@waygate/kube';
import type { Command } from 'commander';
import { follow, type ObjectSelection, selectionOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  noneText,
  type ReportedObject,
  readyOf,
  table,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption, print } from '../output.ts';

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
  outputOption(command);
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const selection = selectionOf(words);
  const isWanted = statusFilter(flags.statusSelector);
  if (flags.watch === true) return watch(selection, isWanted, flags, context);
  const objects = await withCluster(flags, context, async (client, own) => {
    const scope = flags.allNamespaces === true ? {} : { namespace: own };
    const { selector } = flags;
    const found: ReportedObject[] = [];
    for (const kind of selection.kinds) {
      const resource = client.resource(kind);
      const { name } = selection;
      if (name !== undefined) {
        found.push(await resource.get(name, { namespace: own }));
        continue;
      }
      const query = { ...scope, ...(selector === undefined ? {} : { labelSelector: selector }) };
      try {
        found.push(...(await resource.list(query)).items);
      } catch (error) {
        // A cluster need not know every kind.
        if (!isNotFound(error) || selection.kinds.length === 1) throw error;
      }
    }
    return found.filter(isWanted);
  });
  const data = selection.name === undefined ? objects : objects[0];
  print(context, flags.output, data, textOf(objects, flags));
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
      const line = watchLine(rowOf(object));
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

function rowOf(object: ReportedObject): string[] {
  const ready = readyOf(object);
  const { namespace = '', name = '' } = object.metadata;
  return [
    namespace,
    `${object.kind?.toLowerCase()}/${name}`,
    object.status?.lastAppliedRevision ?? object.status?.artifact?.revision ?? '',
    object.spec?.suspend === true ? 'True' : 'False',
    ready?.status ?? 'Unknown',
    (ready?.message ?? '').split('\n', 1)[0] ?? '',
  ];
}

function textOf(objects: readonly ReportedObject[], { header, allNamespaces }: Flags): string {
  if (objects.length === 0) return noneText(allNamespaces);
  return table([...(header ? [columns] : []), ...objects.map(rowOf)]);
}
