import type { AdminClient } from '@waygate/kong';
import type { KubeClient } from '@waygate/kube';
import { parseDuration } from '@waygate/text';
import { type Command, Option } from 'commander';
import { reportOf } from '../check/finding.ts';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { isAgreed } from '../confirm.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { MigrationRecord } from '../migrate/migration-record.ts';
import type { Survey } from '../migrate/migration-source.ts';
import { migrationSources } from '../migrate/migration-sources.ts';
import { type MigrationStep, objectText, stepText, undoText } from '../migrate/migration-step.ts';
import { doStep, undoStep } from '../migrate/migration-work.ts';
import {
  checkNginxFlags,
  extraWork,
  type NginxFlags,
  reportOnFiles,
} from '../migrate/nginx-work.ts';
import { ownStops } from '../migrate/own-deployments.ts';
import { outputOption, print } from '../output.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';

interface Flags extends ClusterFlags, ConnectionOptions, NginxFlags {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly rollback?: boolean;
  readonly wait: string;
}

/** Where the record of a migration is kept when nobody says otherwise: where Waygate is installed. */
const defaultNamespace = 'waygate-system';

export function configure(command: Command, context: CliContext): void {
  const names = [...migrationSources].map(([name, { summary }]) => `${name} (${summary})`);
  clusterOptions(command)
    .addOption(
      new Option('--from <name>', `who is replaced: ${names.join(', ')}`)
        .choices([...migrationSources.keys()])
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'only say what was found and what would be done')
    .option('-y, --yes', 'do every step without asking')
    .option('--rollback', 'take back what was done, the last step first')
    .option('--wait <duration>', 'how long to wait for Pods to go and Leases to be free', '2m')
    .option('-f, --filename <path...>', 'ingress-nginx: judge these manifests, not a cluster')
    .option('--write <dir>', 'ingress-nginx: write Gateway API objects with KongPlugins there')
    .option('--gateway <name>', 'ingress-nginx: namespace/name of the Gateway that is written')
    .option('--verify <url>', 'ingress-nginx: send sample requests there and to --to, and compare')
    .option('--to <url>', 'ingress-nginx: where Waygate answers, for --verify')
    .option('--samples <count>', 'ingress-nginx: how many sample requests at most', '500')
    .option('--configmap <name>', 'ingress-nginx: namespace/name of its ConfigMap, with -f')
    .option('--ignore-snippets', 'ingress-nginx: serve without snippets that are not understood')
    .option('--force', 'ingress-nginx: go on although some Ingresses cannot be served');
  connectionOptions(command).addHelpText(
    'after',
    `
Says which controllers run, who would start them again, who holds their Leases, who owns the
definitions, and which kinds and flags would mean nothing; then stops them, one step at a time. Every
step is written down in a ConfigMap (in ${defaultNamespace}, or -n) before it is done: if it is cut off,
run it again. Objects and their inventories stay as they are. With --kong-addr it says what would
change in that Kong.

Install Waygate first: its controllers stand aside while the others act, and take over when those
have stopped.

Examples:
  waygate migrate --from flux --dry-run
  waygate migrate --from flux --yes
  waygate migrate --from kic --dry-run --kong-addr http://localhost:8001
  waygate migrate --from flux --rollback --yes
  waygate migrate --from ingress-nginx --dry-run
  waygate migrate --from ingress-nginx -f manifests/ --write gateway-api/
  waygate migrate --from ingress-nginx --dry-run --verify http://10.0.0.7 --to http://10.0.0.8`,
  );
  outputOption(command).action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  checkNginxFlags(flags);
  if (flags.filename !== undefined) {
    await reportOnFiles(flags, context);
    return;
  }
  const place = { ...flags, namespace: flags.namespace ?? defaultNamespace };
  await withCluster(place, context, async (client, namespace) => {
    const record = await MigrationRecord.read(client, namespace, flags.from);
    if (flags.rollback === true) await goBack(client, record, flags, context);
    else await goOn(client, record, flags, context);
  });
}

async function goOn(
  client: KubeClient,
  record: MigrationRecord,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const survey = await surveyOf(client, flags, context);
  record.plan(survey.steps);
  const todo = record.steps.filter(({ state }) => state !== 'done').map(({ step }) => step);
  const { findings, gateway, advice, report, ingresses } = survey;
  const more = ingresses && (await extraWork(ingresses, flags, context));
  const steps = todo.map((step) => ({ id: step.id, does: stepText(step), why: step.why }));
  print(
    context,
    flags.output,
    {
      findings,
      steps,
      ...(gateway === undefined ? {} : { gateway }),
      ...report?.data,
      ...more?.data,
      advice,
    },
    [report?.text, ...(more?.lines ?? []), surveyText(survey, todo)]
      .filter((part) => part !== undefined)
      .join('\n'),
  );
  if (findings.some(({ state }) => state === 'failed')) {
    context.exitCode = exitCode.failed;
    return;
  }
  if (flags.dryRun === true || todo.length === 0) return;
  await each(todo, stepText, flags, context, async (step) => {
    // What was there before is on record before it is changed.
    await record.mark(step.id, 'doing');
    await doStep(step, workOptions(client, flags, context));
    await record.mark(step.id, 'done');
  });
}

async function goBack(
  client: KubeClient,
  record: MigrationRecord,
  flags: Flags,
  context: CliContext,
): Promise<void> {
  const part = migrationSources.get(flags.from)?.part ?? 'gitops';
  const stops = record.isOpen ? await ownStops(client, part, context.signal) : [];
  const stopped = new Set(stops.map(({ object }) => objectText(object)));
  const isStart = ({ kind, object }: MigrationStep) =>
    kind === 'scale' && stopped.has(objectText(object));
  const begun = record.steps
    .filter(({ state }) => state === 'doing' || state === 'done')
    .map(({ step }) => step);
  const undone = begun.filter((step) => !isStart(step)).reverse();
  // Of having waited there is nothing to take back.
  const waits = undone.filter((step) => undoText(step) === undefined);
  const todo = [...stops, ...undone.filter((step) => !waits.includes(step))];
  const text = (step: MigrationStep) =>
    step.id.startsWith('stop/') ? stepText(step) : (undoText(step) ?? stepText(step));
  const lines = todo.length === 0 ? ['There is nothing to take back.'] : todo.map(text);
  print(context, flags.output, { undo: todo.map(text) }, lines.join('\n'));
  if (flags.dryRun === true || todo.length === 0) return;
  await each(todo, text, flags, context, async (step) => {
    const options = workOptions(client, flags, context);
    for (const wait of waits.splice(0)) await record.mark(wait.id, 'undone');
    if (!stops.includes(step)) {
      await undoStep(step, options);
      await record.mark(step.id, 'undone');
      return;
    }
    // Going forward again starts as many as there were.
    await record.remember(step);
    await doStep(step, options);
    for (const started of begun.filter(isStart)) await record.mark(started.id, 'undone');
  });
}

const asking = { on: 'stdout', hint: '--yes does not ask.' } as const;

/** Does steps one after the other, as far as the person wants. */
async function each(
  steps: readonly MigrationStep[],
  text: (step: MigrationStep) => string,
  flags: Flags,
  context: CliContext,
  work: (step: MigrationStep) => Promise<void>,
): Promise<void> {
  if (flags.yes !== true && context.stdout.isTTY !== true) {
    context.stderr.write(
      'Nothing was done. --yes does it; on a terminal each step is asked for.\n',
    );
    return;
  }
  for (const [index, step] of steps.entries()) {
    const line = `[${index + 1}/${steps.length}] ${text(step)}`;
    const question = `${line} — ${step.why}. Do it? [y/N] `;
    if (flags.yes !== true && !(await isAgreed(question, context, asking))) {
      context.stderr.write('Stopped here. What was done is on record: run it again to go on.\n');
      return;
    }
    if (flags.yes === true) context.stderr.write(`${line}\n`);
    await work(step);
  }
  context.stderr.write('Done.\n');
}

function workOptions(client: KubeClient, flags: Flags, context: CliContext) {
  let waitMs: number;
  try {
    waitMs = parseDuration(flags.wait);
  } catch {
    const message = `--wait ${flags.wait} is no duration, such as 2m`;
    throw new CliError(message, { exitCode: exitCode.usage });
  }
  return { client, signal: context.signal, waitMs, now: () => Date.now() };
}

async function surveyOf(client: KubeClient, flags: Flags, context: CliContext): Promise<Survey> {
  const source = migrationSources.get(flags.from);
  if (source === undefined) throw new CliError(`nobody comes from ${flags.from}`);
  const survey = (admin?: AdminClient) =>
    source.survey({
      client,
      admin,
      signal: context.signal,
      now: () => Date.now(),
      nginx: {
        isForced: flags.force === true,
        ignoresSnippets: flags.ignoreSnippets === true,
      },
    });
  const address = flags.kongAddr ?? context.env.DECK_KONG_ADDR;
  if (address === undefined) return survey();
  let found: Survey | undefined;
  await withClient({ ...flags, kongAddr: address }, context, async (admin) => {
    found = await survey(admin);
  });
  return found ?? survey();
}

function surveyText({ findings, gateway, advice }: Survey, todo: readonly MigrationStep[]): string {
  const steps = todo.map((step, index) => `  ${index + 1}. ${stepText(step)}\n     ${step.why}`);
  const report = reportOf(findings).split('\n').slice(0, -2);
  return [
    ...report,
    '',
    ...(gateway === undefined ? [] : [gateway, '']),
    steps.length === 0 ? 'Nothing is left to do.' : 'Steps:',
    ...steps,
    ...(advice.length === 0 ? [] : ['', 'Afterwards:', ...advice.map((one) => `  ${one}`)]),
  ].join('\n');
}
