import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { shortRevision } from '@waygate/text';
import { type Command, Option } from 'commander';
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
  readonly labelSelector?: string;
  readonly statusSelector?: string;
  readonly showSource?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .argument('[object...]', 'kustomizations, sources git, …, and a name; all of them when absent')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-w, --watch', 'go on with what changes, until interrupted')
    .option('-l, --selector <labels>', 'only those with these labels')
    .addOption(new Option('--label-selector <labels>', 'another name of it').hideHelp())
    .option('--status-selector <type=status>', 'only those with such a condition: ready=false')
    .option('--show-source', 'of Kustomizations and HelmReleases also what they are made from')
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
    .action((words: readonly string[], { labelSelector, ...flags }: Flags) =>
      run(
        words,
        labelSelector === undefined ? flags : { ...flags, selector: labelSelector },
        context,
      ),
    );
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
  const shape = rowShape(kinds, flags, flags.allNamespaces === true || isElsewhere);
  const isTold = flags.output === 'text' || flags.output === 'wide';
  if (objects.length === 0 && kinds.length === 1 && isTold)
    throw noneOf(kinds[0]!.kind, ownNamespace, flags);
  printListing(context, flags.output, {
    data: name === undefined ? wanted : wanted[0],
    names: wanted.map((object) => nameOf(object, false)),
    columns: columnsOf(shape),
    isHeadless: !flags.header,
    rows: (isShort) =>
      wanted.map((object) => rowOf(object, shape, isShort, flags.output !== 'wide')),
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
  const shape = rowShape(kinds, flags, flags.allNamespaces === true);
  const { width, hasColour } = terminalOf(context);
  const isShort = width !== undefined && flags.output === 'text';
  const terminal = isShort ? { width, hasColour } : { hasColour };
  // Rows come one by one: their columns are as wide as most need.
  const widths = columnsOf(shape).map(({ title }) => watchWidths[title] ?? 0);
  const lineOf = (row: readonly Cell[]) => fittingTable([row], terminal, widths);
  const last = new Map<string, string>();
  const head = columnsOf(shape).map(({ title }): Cell => ({ text: title, tone: 'faint' }));
  if (flags.header && isTable(flags)) context.stdout.write(`${lineOf(head)}\n`);
  await withCluster(flags, context, (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const tell = (object: ReportedObject) => {
      if ((name !== undefined && object.metadata.name !== name) || !isWanted(object)) return;
      const line = lineOf(rowOf(object, shape, isShort, flags.output !== 'wide'));
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

const watchWidths: Readonly<Record<string, number>> = {
  NAMESPACE: 12,
  NAME: 20,
  SOURCE: 24,
  REVISION: 18,
  SUSPENDED: 9,
  READY: 7,
};

/** Which columns there are. */
interface RowShape {
  readonly hasNamespace: boolean;
  /** Names say the kind, too. */
  readonly hasKind: boolean;
  readonly hasSource: boolean;
  readonly hasRevision: boolean;
  readonly canBeSuspended: boolean;
}

/** As flux has it: what no object of the kind has, is no column. */
function rowShape(
  kinds: ObjectSelection['kinds'],
  { showSource }: Flags,
  hasNamespace: boolean,
): RowShape {
  const only = kinds.length === 1 ? (kinds[0]?.kind ?? '') : '';
  return {
    hasNamespace,
    hasKind: kinds.length > 1,
    hasSource: showSource === true && (only === 'Kustomization' || only === 'HelmRelease'),
    hasRevision: !['Alert', 'Provider', 'Receiver'].includes(only),
    canBeSuspended: only !== 'Provider',
  };
}

function columnsOf(shape: RowShape): Column[] {
  return [
    ...(shape.hasNamespace ? [{ title: 'NAMESPACE' }] : []),
    { title: 'NAME' },
    ...(shape.hasSource ? [{ title: 'SOURCE' }] : []),
    ...(shape.hasRevision ? [{ title: 'REVISION', usual: '' }] : []),
    ...(shape.canBeSuspended ? [{ title: 'SUSPENDED', usual: 'False' }] : []),
    { title: 'READY' },
    { title: 'MESSAGE' },
  ];
}

function noneOf(kind: string, namespace: string, { allNamespaces }: Flags): CliError {
  if (allNamespaces === true) return new CliError(`no ${kind} objects found in any namespace`);
  return new CliError(`no ${kind} objects found in "${namespace}" namespace`, {
    hint: '-A looks in all, -n names another.',
  });
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

/** `isShort` for a terminal: names are as short as they may be. */
function rowOf(
  object: ReportedObject,
  shape: RowShape,
  isShort: boolean,
  hasShortRevisions: boolean,
): Cell[] {
  const { status, message } = stateOf(object);
  const { namespace = '', name = '' } = object.metadata;
  const [line = ''] = message.split('\n', 1);
  const revision = revisionOf(object);
  return [
    ...(shape.hasNamespace ? [{ text: namespace }] : []),
    { text: shape.hasKind ? nameOf(object, isShort) : name },
    ...(shape.hasSource ? [{ text: sourceOf(object) }] : []),
    ...(shape.hasRevision
      ? [{ text: hasShortRevisions ? shortRevision(revision) : revision }]
      : []),
    ...(shape.canBeSuspended ? [suspendedCell(object)] : []),
    { text: status, tone: stateTone(status) },
    { text: hasShortRevisions ? shortRevision(line) : line },
  ];
}

function suspendedCell({ spec }: ReportedObject): Cell {
  return spec?.suspend === true ? { text: 'True', tone: 'odd' } : { text: 'False', tone: 'faint' };
}

/** What an object says of itself; some kinds have nothing to say, and are always ready. */
function stateOf(object: ReportedObject): { status: string; message: string } {
  const ready = readyOf(object);
  if (ready !== undefined) return { status: ready.status, message: ready.message ?? '' };
  const { kind = '', spec } = object;
  if (kind === 'Alert' || kind === 'Provider')
    return { status: 'True', message: `${kind} is Ready` };
  if (kind === 'HelmRepository' && (spec as { type?: string } | undefined)?.type === 'oci')
    return { status: 'True', message: 'Helm repository is Ready' };
  return { status: 'False', message: 'waiting to be reconciled' };
}

/** `GitRepository/shop/apps`: what a Kustomization or a HelmRelease is made from. */
function sourceOf({ spec, metadata }: ReportedObject): string {
  const { sourceRef, chartRef, chart } = (spec ?? {}) as {
    sourceRef?: SourceName;
    chartRef?: SourceName;
    chart?: { spec?: { sourceRef?: SourceName } };
  };
  const source = sourceRef ?? chartRef ?? chart?.spec?.sourceRef;
  if (source === undefined) return '';
  return `${source.kind}/${source.namespace ?? metadata.namespace ?? ''}/${source.name}`;
}

interface SourceName {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function nameOf({ kind = '', metadata }: ReportedObject, isShort: boolean): string {
  return `${isShort ? shortKindName(kind) : kind.toLowerCase()}/${metadata.name ?? ''}`;
}

/** What was applied, or is offered, or of a release what was tried last: what a Kustomization tried is not there. */
function revisionOf({ kind, status }: ReportedObject): string {
  const { lastAppliedRevision, artifact, lastAttemptedRevision = '' } = status ?? {};
  const tried = kind === 'HelmRelease' ? lastAttemptedRevision : '';
  return lastAppliedRevision ?? artifact?.revision ?? tried;
}
