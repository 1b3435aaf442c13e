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
  shortKindName,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { type Column, listOutputOption, print, printListing } from '../output.ts';
import { type Cell, fittingTable, stateTone, terminalOf } from '../terminal.ts';

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
  listOutputOption(command);
}

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const selection = selectionOf(words);
  const isWanted = statusFilter(flags.statusSelector);
  if (flags.watch === true) return watch(selection, isWanted, flags, context);
  const { kinds, name } = selection;
  let ownNamespace = '';
  const objects = await withCluster(flags, context, async (client, own) => {
    ownNamespace = own;
    if (name !== undefined) {
      const { kind } = objectOf(words);
      const namespace = await namespaceOf(client, { kind, name }, own, flags, context);
      return [await client.resource(kind).get(name, { namespace })];
    }
    const isEverywhere = flags.allNamespaces === true;
    const here = await listAll(client, kinds, isEverywhere ? undefined : own, flags);
    if (here.length > 0 || isEverywhere || flags.namespace !== undefined) return here;
    // Nobody asked for this namespace: it is the kubeconfig's. What is asked for is where it is.
    const everywhere = await listAll(client, kinds, undefined, flags).catch((error: unknown) => {
      if (isForbidden(error)) return [];
      throw error;
    });
    if (everywhere.length > 0)
      context.stderr.write(`There are none in the namespace ${own}; these are in others.\n`);
    return everywhere;
  });
  const wanted = objects.filter(isWanted);
  // As flux has it: what all lines would say of the kind or the namespace is on none.
  const isElsewhere = wanted.some(({ metadata }) => metadata.namespace !== ownNamespace);
  const shape: RowShape = {
    hasNamespace: flags.allNamespaces === true || isElsewhere,
    hasKind: kinds.length > 1,
  };
  printListing(context, flags.output, {
    data: name === undefined ? wanted : wanted[0],
    names: wanted.map((object) => nameOf(object, false)),
    columns: columnsOf(shape),
    isHeadless: !flags.header,
    rows: (isShort) => wanted.map((object) => rowOf(object, shape, isShort)),
    none: noneText(flags.allNamespaces),
  });
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
  if (flags.selector !== undefined) {
    throw new CliError('--watch goes without --selector', { exitCode: exitCode.usage });
  }
  const shape = { hasNamespace: flags.allNamespaces === true, hasKind: kinds.length > 1 };
  const { width, hasColour } = terminalOf(context);
  const isShort = width !== undefined && flags.output === 'text';
  const terminal = isShort ? { width, hasColour } : { hasColour };
  // Rows come one by one: their columns are as wide as most need.
  const widths = [...(shape.hasNamespace ? [isShort ? 12 : 16] : []), 20, isShort ? 18 : 51, 9, 7];
  const lineOf = (row: readonly Cell[]) => fittingTable([row], terminal, widths);
  const last = new Map<string, string>();
  const head = columnsOf(shape).map(({ title }): Cell => ({ text: title, tone: 'faint' }));
  if (flags.header && isTable(flags)) context.stdout.write(`${lineOf(head)}\n`);
  await withCluster(flags, context, (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const tell = (object: ReportedObject) => {
      if ((name !== undefined && object.metadata.name !== name) || !isWanted(object)) return;
      const line = lineOf(rowOf(object, shape, isShort));
      const key = `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
      if (last.get(key) === line) return;
      last.set(key, line);
      if (isTable(flags)) context.stdout.write(`${line}\n`);
      else if (flags.output === 'name') context.stdout.write(`${nameOf(object, false)}\n`);
      else {
        if (flags.output === 'yaml') context.stdout.write('---\n');
        print(context, flags.output, object, '');
      }
    };
    return follow(client, kinds, namespace, tell, context.signal);
  });
}

function isTable({ output }: Flags): boolean {
  return output === 'text' || output === 'wide';
}

/** Which columns there are. */
interface RowShape {
  readonly hasNamespace: boolean;
  /** Names say the kind, too. */
  readonly hasKind: boolean;
}

function columnsOf({ hasNamespace }: RowShape): Column[] {
  return [
    ...(hasNamespace ? [{ title: 'NAMESPACE' }] : []),
    { title: 'NAME' },
    { title: 'REVISION', usual: '' },
    { title: 'SUSPENDED', usual: 'False' },
    { title: 'READY' },
    { title: 'MESSAGE' },
  ];
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

function rowOf(
  object: ReportedObject,
  { hasNamespace, hasKind }: RowShape,
  isShort: boolean,
): Cell[] {
  const ready = readyOf(object);
  const { namespace = '', name = '' } = object.metadata;
  const message = (ready?.message ?? '').split('\n', 1)[0] ?? '';
  const revision = revisionOf(object);
  return [
    ...(hasNamespace ? [{ text: namespace }] : []),
    { text: hasKind ? nameOf(object, isShort) : name },
    { text: isShort ? shortRevision(revision) : revision },
    object.spec?.suspend === true
      ? { text: 'True', tone: 'odd' }
      : { text: 'False', tone: 'faint' },
    { text: ready?.status ?? 'Unknown', tone: stateTone(ready?.status) },
    { text: isShort ? shortRevision(message) : message },
  ];
}

function nameOf({ kind = '', metadata }: ReportedObject, isShort: boolean): string {
  return `${isShort ? shortKindName(kind) : kind.toLowerCase()}/${metadata.name ?? ''}`;
}

/** What was applied, or is offered, or of a release what was tried last. */
function revisionOf({ status }: ReportedObject): string {
  const { lastAppliedRevision, artifact, lastAttemptedRevision } = status ?? {};
  return lastAppliedRevision ?? artifact?.revision ?? lastAttemptedRevision ?? '';
}
