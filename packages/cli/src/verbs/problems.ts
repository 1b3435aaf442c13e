import { compareProblems, currentProblems, type ProblemRow } from '@waygate/dashboard';
import { systemClock } from '@waygate/runtime';
import { shortRevision } from '@waygate/text';
import type { Command } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, exitCode } from '../context.ts';
import { followedKinds } from '../dashboard/followed-kinds.ts';
import { taggedObject } from '../dashboard/tagged-object.ts';
import { translationProblems } from '../dashboard/translation-problems.ts';
import { listOutputOption, print, printListing } from '../output.ts';
import { terminalOf } from '../terminal.ts';
import {
  type ConnectionOptions,
  connectionOptions,
  withChosenGateway,
} from './gateway-connection.ts';

interface Flags extends ClusterFlags, ConnectionOptions {
  readonly exitCode?: boolean;
  readonly ingressClass: string;
  readonly skipGateway?: boolean;
  readonly output: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .option('--exit-code', 'end with 2 when there is a problem')
    .option('--ingress-class <name>', 'the class of objects that the gateway serves', 'kong')
    .option('--skip-gateway', 'look at the cluster alone');
  connectionOptions(command).addHelpText(
    'after',
    `
Says what is wrong now, worst first: traffic that fails, changes that do not get through, and what is
odd; each with what it does to traffic, since when, and what to do. The same list as the dashboard's.

Examples:
  waygate problems
  waygate problems -n shop --skip-gateway
  waygate problems --exit-code --output json`,
  );
  listOutputOption(command).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  const { signal } = context;
  let problems: readonly ProblemRow[] = [];
  await withChosenGateway(flags, context, flags.skipGateway === true, async (admin) => {
    problems = await withCluster(flags, context, async (client) =>
      currentProblems(
        {
          client,
          kinds: followedKinds,
          namespace: flags.namespace,
          gateway: admin && (() => admin),
          objectOf: taggedObject,
        },
        await translationProblems(client, flags.ingressClass, signal),
        signal,
      ),
    );
  });
  const sorted = problems.filter((row) => isIn(row, flags.namespace)).sort(compareProblems);
  const now = systemClock.now();
  if (flags.output === 'wide' || flags.output === 'name') {
    printListing(context, flags.output, {
      data: { problems: sorted },
      names: sorted.map(nameOf),
      columns: ['SEVERITY', 'FOR', 'OBJECT', 'FIELD', 'MESSAGE', 'EFFECT', 'FIX'].map((title) => ({
        title,
      })),
      rows: () => sorted.map((row) => rowOf(row, now).map((text) => ({ text }))),
      none: nothing,
    });
  } else {
    const text = textOf(sorted, now);
    const isShort = terminalOf(context).width !== undefined;
    print(context, flags.output, { problems: sorted }, isShort ? shortRevision(text) : text);
  }
  if (flags.exitCode === true && sorted.length > 0) context.exitCode = exitCode.differences;
}

/** With a namespace, what is wrong elsewhere is not asked for; what is wrong with the gateway is everybody's. */
function isIn({ object }: ProblemRow, namespace: string | undefined): boolean {
  return namespace === undefined || object === undefined || object.namespace === namespace;
}

const nothing = 'Nothing is wrong.';

function nameOf({ object }: ProblemRow): string {
  return object === undefined ? 'gateway' : `${object.kind.toLowerCase()}/${object.name}`;
}

/** A line for each, however long: for `grep`. */
function rowOf(row: ProblemRow, nowMs: number): string[] {
  const { severity, object, field = '', message, effect, fix, since } = row;
  const name = [object?.namespace, nameOf(row)].filter(Boolean).join(' ');
  return [severity, ageOf(nowMs - since), name, field, message, effect, fix].map((text) =>
    (text ?? '').replaceAll('\n', '; '),
  );
}

function textOf(problems: readonly ProblemRow[], nowMs: number): string {
  if (problems.length === 0) return nothing;
  const blocks = problems.map(
    ({ severity, object, field, message, effect, fix, since, origin }) => {
      const name =
        object === undefined
          ? 'the gateway'
          : `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
      const head = `${severity}  ${name}${field === undefined ? '' : ` ${field}`}  (for ${ageOf(nowMs - since)})`;
      const lines = [
        message,
        effect,
        fix && `→ ${fix}`,
        origin?.revision && `from ${origin.revision}`,
      ];
      return [
        head,
        ...lines.filter((line) => line).map((line) => `  ${line!.replaceAll('\n', '\n  ')}`),
      ];
    },
  );
  return blocks.map((block) => block.join('\n')).join('\n\n');
}

function ageOf(ms: number): string {
  const minutes = Math.floor(Math.max(ms, 0) / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
