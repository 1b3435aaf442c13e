import { type CoreEvent, kinds } from '@waygate/schema';
import type { Command } from 'commander';
import {
  type ClusterFlags,
  clusterOptions,
  objectArgument,
  reportedKinds,
  table,
  withCluster,
} from '../cluster-option.ts';
import type { CliContext } from '../context.ts';
import { outputOption, print } from '../output.ts';

interface Flags extends ClusterFlags {
  readonly for?: string;
  readonly allNamespaces?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('--for <kind/name>', 'only those about one object')
    .option('-A, --all-namespaces', 'in all namespaces')
    .addHelpText('after', '\nExamples:\n  waygate events\n  waygate events --for ks/apps')
    .action((flags: Flags) => run(flags, context));
  outputOption(command);
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const about = flags.for === undefined ? undefined : objectArgument(flags.for, undefined);
  const known = new Set(reportedKinds.map(({ kind }) => kind));
  const events = await withCluster(flags, context, async (client, own) => {
    const scope = flags.allNamespaces === true ? {} : { namespace: own };
    const { items } = await client.resource(kinds.Event).list(scope);
    return items.filter(({ involvedObject }) => {
      const { kind = '', name } = involvedObject;
      if (about === undefined) return known.has(kind);
      return kind === about.kind.kind && name === about.name;
    });
  });
  events.sort((left, right) => timeOf(left).localeCompare(timeOf(right)));
  const rows = events.map((event) => [
    timeOf(event),
    event.type ?? '',
    event.reason ?? '',
    `${event.involvedObject.kind}/${event.involvedObject.name}`,
    (event.message ?? '').replaceAll('\n', '; '),
  ]);
  const text =
    rows.length === 0
      ? 'There are none.'
      : table([['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'], ...rows]);
  print(context, flags.output, events, text);
}

function timeOf(event: CoreEvent): string {
  return event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
}
