import { isForbidden } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import { type CoreEvent, kinds } from '@waygate/schema';
import { ageText } from '@waygate/text';
import { type Command, Option } from 'commander';
import { follow, objectOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  noneText,
  reportedKinds,
  shortKindName,
  withCluster,
} from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { type Column, listOutputOption, print, printListing } from '../output.ts';
import type { Cell } from '../terminal.ts';

interface Flags extends ClusterFlags {
  readonly for?: string;
  readonly allNamespaces?: boolean;
  readonly watch?: boolean;
  readonly types?: 'Normal' | 'Warning';
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('--for <kind/name>', 'only those about one object')
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('-w, --watch', 'go on with those that come, until interrupted')
    .addOption(new Option('--types <type>', 'only those of a type').choices(['Normal', 'Warning']))
    .addHelpText(
      'after',
      `
Examples:
  waygate events
  waygate events --for ks/apps
  waygate events -A --types Warning -w`,
    )
    .action((flags: Flags) => run(flags, context));
  listOutputOption(command);
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const isWanted = eventFilter(flags);
  if (flags.watch === true) return watch(isWanted, flags, context);
  const events = await withCluster(flags, context, async (client, own) => {
    const list = async (scope: { namespace?: string }) =>
      (await client.resource(kinds.Event).listAll(scope)).items.filter(isWanted);
    const isEverywhere = flags.allNamespaces === true;
    const here = await list(isEverywhere ? {} : { namespace: own });
    if (here.length > 0 || isEverywhere || flags.namespace !== undefined) return here;
    const everywhere = await list({}).catch((error: unknown) => {
      if (isForbidden(error)) return [];
      throw error;
    });
    if (everywhere.length > 0)
      context.stderr.write(`There are none in the namespace ${own}; these are in others.\n`);
    return everywhere;
  });
  events.sort((left, right) => timeOf(left).localeCompare(timeOf(right)));
  const now = systemClock.now();
  printListing(context, flags.output, {
    data: events,
    names: events.map(nameOf),
    columns: columnsOf(flags),
    rows: (isShort) =>
      events.map((event) => rowOf(event, flags, isShort ? now : undefined).map(cellOf)),
    none: noneText(flags.allNamespaces),
  });
}

function nameOf({ metadata }: CoreEvent): string {
  return `event/${metadata.name}`;
}

function cellOf(text: string): Cell {
  return text === 'Warning' ? { text, tone: 'bad' } : { text };
}

async function watch(
  isWanted: (event: CoreEvent) => boolean,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  await withCluster(flags, context, (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const tell = (event: CoreEvent) => {
      if (!isWanted(event)) return;
      if (flags.output === 'yaml') context.stdout.write('---\n');
      const text = flags.output === 'name' ? nameOf(event) : rowOf(event, flags).join('   ');
      print(context, flags.output, event, text);
    };
    return follow(client, [kinds.Event], namespace, tell, context.signal);
  });
}

function eventFilter(flags: Flags): (event: CoreEvent) => boolean {
  const about = flags.for === undefined ? undefined : objectOf([flags.for]);
  const known = new Set(reportedKinds.map(({ kind }) => kind));
  return ({ involvedObject, type }) => {
    const { kind = '', name } = involvedObject;
    if (flags.types !== undefined && type !== flags.types) return false;
    if (about === undefined) return known.has(kind);
    return kind === about.kind.kind && name === about.name;
  };
}

function columnsOf({ allNamespaces }: Flags): Column[] {
  return [
    ...(allNamespaces === true ? [{ title: 'NAMESPACE' }] : []),
    { title: 'LAST SEEN' },
    { title: 'TYPE', usual: 'Normal' },
    { title: 'REASON' },
    { title: 'OBJECT' },
    { title: 'MESSAGE' },
  ];
}

/** With `nowMs` for a person who looks at it now: how long ago, and names as short as they may be. */
function rowOf(event: CoreEvent, { allNamespaces }: Flags, nowMs?: number): string[] {
  const { kind = '', name = '', namespace = '' } = event.involvedObject;
  const time = timeOf(event);
  const row = [
    nowMs === undefined ? time : ageText(time, nowMs),
    event.type ?? '',
    event.reason ?? '',
    `${nowMs === undefined ? kind : shortKindName(kind)}/${name}`,
    (event.message ?? '').replaceAll('\n', '; '),
  ];
  return allNamespaces === true ? [namespace, ...row] : row;
}

function timeOf(event: CoreEvent): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}
