import { type CoreEvent, kinds } from '@waygate/schema';
import { type Command, Option } from 'commander';
import { follow, objectOf } from '../cluster-objects.ts';
import {
  type ClusterFlags,
  clusterOptions,
  noneText,
  reportedKinds,
  table,
  withCluster,
} from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { outputOption, print } from '../output.ts';

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
  outputOption(command);
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const isWanted = eventFilter(flags);
  if (flags.watch === true) return watch(isWanted, flags, context);
  const events = await withCluster(flags, context, async (client, own) => {
    const scope = flags.allNamespaces === true ? {} : { namespace: own };
    return (await client.resource(kinds.Event).list(scope)).items.filter(isWanted);
  });
  events.sort((left, right) => timeOf(left).localeCompare(timeOf(right)));
  const text =
    events.length === 0
      ? noneText(flags.allNamespaces)
      : table([columnsOf(flags), ...events.map((event) => rowOf(event, flags))]);
  print(context, flags.output, events, text);
}

async function watch(
  isWanted: (event: CoreEvent) => boolean,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  if (flags.output !== 'text') {
    throw new CliError('--watch goes with text', { exitCode: exitCode.usage });
  }
  await withCluster(flags, context, (client, own) => {
    const namespace = flags.allNamespaces === true ? undefined : own;
    const tell = (event: CoreEvent) => {
      if (isWanted(event)) context.stdout.write(`${rowOf(event, flags).join('   ')}\n`);
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

function columnsOf({ allNamespaces }: Flags): string[] {
  const columns = ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];
  return allNamespaces === true ? ['NAMESPACE', ...columns] : columns;
}

function rowOf(event: CoreEvent, { allNamespaces }: Flags): string[] {
  const row = [
    timeOf(event),
    event.type ?? '',
    event.reason ?? '',
    `${event.involvedObject.kind}/${event.involvedObject.name}`,
    (event.message ?? '').replaceAll('\n', '; '),
  ];
  return allNamespaces === true ? [event.involvedObject.namespace ?? '', ...row] : row;
}

function timeOf(event: CoreEvent): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}
