import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import {
  type GitOpsControllerName,
  GitOpsControllers,
  type GitOpsFlagOptions,
  gitOpsGates,
  gitOpsOptionsFromFlags,
} from '@waygate/gitops';
import { controllerGates, IngressController, optionsFromFlags } from '@waygate/ingress';
import type { AdminClient } from '@waygate/kong';
import { KubeClient, KubeError, loadConfig } from '@waygate/kube';
import {
  type FlagValues,
  gateNames,
  HealthServer,
  prometheusMetrics,
  type Rival,
  type Tracer,
} from '@waygate/runtime';
import { DirectoryLock } from '@waygate/text';
import type { Command } from 'commander';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { adminClients, adminConnector } from '../controller/admin-clients.ts';
import { asCandidate } from '../controller/candidacy.ts';
import { delayedSignal } from '../controller/delayed-signal.ts';
import { addControllerFlags, flagValue, givenFlags, saidValue } from '../controller/flag-values.ts';
import { type LogEntry, logger, logLevelsOf, logParts, partOfKind } from '../controller/log.ts';
import { ProfilingServer } from '../controller/profiling-server.ts';
import { startTracing } from '../controller/tracing.ts';
import { type ControllerName, controllersOption } from '../controllers-option.ts';
import { appliedHappening } from '../dashboard/applied-happening.ts';
import { ClusterDashboard } from '../dashboard/cluster-dashboard.ts';
import { IngressHooks } from '../dashboard/ingress-hooks.ts';

interface Flags {
  readonly controllers: readonly ControllerName[];
}

export function configure(command: Command, context: CliContext): void {
  command.addOption(controllersOption('which to run'));
  addControllerFlags(command);
  command
    .addHelpText(
      'after',
      `
Flags of Kong Ingress Controller keep their names; each may be set in the environment, as in
CONTROLLER_KONG_ADMIN_URL. Older names are taken with a word on the new one. Flags of Flux's
source-controller, kustomize-controller and notification-controller keep their names too.

Examples:
  waygate controller --controllers=ingress --kong-admin-url http://localhost:8001
  waygate controller --controllers=source,kustomize,notification --storage-path ./artifacts
  CONTROLLER_INGRESS_CLASS=internal waygate controller --controllers=ingress`,
    )
    .action((flags: Flags) => run(flags, command.opts(), context));
}

async function run(
  flags: Flags,
  all: Readonly<Record<string, unknown>>,
  context: CliContext,
): Promise<void> {
  const given = givenFlags(all);
  const value = (name: string): string => flagValue(name, given, context.env);
  const levels = logLevelsOf(value('log-level'));
  if (typeof levels === 'string') throw usage(`--log-level ${levels}`);
  const said = (name: string): string | undefined => saidValue(name, given, context.env);
  const encoding = said('log-encoding') ?? 'console';
  if (!['json', 'console'].includes(encoding))
    throw usage(`--log-encoding ${encoding} is none of json, console`);
  const log = logger(
    context,
    said('log-format') ?? (encoding === 'json' ? 'json' : 'text'),
    levels,
  );
  const profiling = profilingServer(value);
  const identity = `${context.env.POD_NAME ?? hostname()}_${process.pid}`;
  const asked = { endpoint: value('otlp-endpoint'), ratio: value('trace-ratio') };
  const tracing = await startTracing(asked, context, identity, log);
  const { client, namespace } = await connect(value, said, context);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  setMaxListeners(0, signal);
  try {
    await profiling?.listen();
    const tasks: Promise<unknown>[] = [];
    const { tracer } = tracing;
    const shared = { client, given, signal, log, env: context.env, tracer };
    const watched = await dashboardOf(client, value, log);
    if (watched !== undefined) tasks.push(watched.dashboard.run(signal));
    if (flags.controllers.includes('ingress'))
      tasks.push(runIngress({ ...shared, namespace, identity, value, watched }));
    const gitops = flags.controllers.filter((name) => name !== 'ingress');
    if (gitops.length > 0) tasks.push(runGitOps(gitops, { ...shared, watched }));
    // When one ends in failure the others stop in order, and the process ends: it is started again.
    await Promise.all(tasks.map((task) => task.finally(() => stop.abort())));
  } finally {
    stop.abort();
    await profiling?.close();
    await client.close();
    await tracing.close();
  }
}

/** What the controllers of one process share. */
interface ControllerRun {
  readonly client: KubeClient;
  readonly given: FlagValues;
  readonly env: FlagValues;
  readonly signal: AbortSignal;
  readonly log: (entry: LogEntry) => void;
  readonly watched: Watched | undefined;
  readonly tracer: Tracer | undefined;
}

interface IngressRun extends ControllerRun {
  readonly namespace: string;
  readonly identity: string;
  readonly value: (name: string) => string;
}

/** The dashboard, and the gateways that it looks at once the ingress controller knows them. */
interface Watched {
  readonly dashboard: ClusterDashboard;
  gateways: () => readonly AdminClient[];
}

async function dashboardOf(
  client: KubeClient,
  value: (name: string) => string,
  log: (entry: LogEntry) => void,
): Promise<Watched | undefined> {
  const address = value('dashboard-bind-address');
  if (address === '') return undefined;
  const watched: { dashboard?: ClusterDashboard; gateways: Watched['gateways'] } = {
    gateways: () => [],
  };
  const dashboard = new ClusterDashboard(value, {
    client,
    gateway: () => watched.gateways()[0],
    onError: (error) => log({ level: 'warn', message: `dashboard: ${(error as Error).message}` }),
  });
  const port = await dashboard.listen().catch((cause: Error) => {
    throw new CliError(`cannot serve the dashboard at ${address}: ${cause.message}`, { cause });
  });
  log({ level: 'info', message: 'the dashboard is served', fields: { port } });
  return Object.assign(watched, { dashboard });
}

/** Profiles of this process, where somebody asked for them. */
function profilingServer(value: (name: string) => string): ProfilingServer | undefined {
  if (!['', 'true', '1'].includes(value('profiling').toLowerCase())) return undefined;
  const match = /^(?:127\.0\.0\.1|localhost|\[::1\])?:(\d{1,5})$/u.exec(value('profiling-addr'));
  const port = Number(match?.[1]);
  if (match === null || port > 65_535)
    throw usage('--profiling-addr must be a port of this machine, such as 127.0.0.1:10257');
  return new ProfilingServer({ host: '127.0.0.1', port });
}

async function runIngress({
  client,
  namespace,
  identity,
  given,
  value,
  signal,
  log,
  env,
  watched,
  tracer,
}: IngressRun): Promise<void> {
  const surroundings = { identity, namespace, otherGates: gateNames(gitOpsGates) };
  const parsed = optionsFromFlags(given, env, surroundings);
  if (parsed.problems.length > 0) throw usage(parsed.problems.join('\n'));
  for (const message of parsed.warnings) log({ level: 'warn', part: 'ingress', message });
  const { discovery, termDelayMs = 0, ...options } = parsed.options;
  const admins = discovery === undefined ? adminClients(value) : [];
  const kongAdmin =
    discovery === undefined ? admins : { ...discovery, connect: adminConnector(value) };
  const hooks = watched && new IngressHooks(watched.dashboard.core);
  try {
    const controller = new IngressController({
      ...options,
      client,
      kongAdmin,
      tracer,
      onLog: (entry) => log({ ...entry, part: 'ingress' }),
      onStandingAside: (rival) => log(asideEntry('ingress', rival)),
      ...(hooks && { onPass: hooks.onPass, onLook: hooks.onLook, onWritten: hooks.onWritten }),
    });
    if (watched !== undefined) watched.gateways = () => controller.gateways;
    await controller.run(delayedSignal(signal, termDelayMs));
  } finally {
    await Promise.all(admins.map((admin) => admin.close()));
  }
}

async function runGitOps(
  controllers: readonly GitOpsControllerName[],
  run: ControllerRun,
): Promise<void> {
  const { client, given, signal, log, env } = run;
  const parsed = gitOpsOptionsFromFlags(given, env, {
    controllers,
    otherGates: gateNames(controllerGates),
  });
  if (parsed.problems.length > 0) throw usage(parsed.problems.join('\n'));
  for (const message of parsed.warnings) log({ level: 'warn', part: 'gitops', message });
  await asCandidate(() => runGitOpsOnce(controllers, parsed, run), {
    client,
    signal,
    onLost: () => {
      run.watched?.dashboard.core.noteOthersApply();
      log({
        level: 'warn',
        part: 'gitops',
        message: 'the Lease was lost: standing as a candidate again',
      });
    },
  });
}

async function runGitOpsOnce(
  controllers: readonly GitOpsControllerName[],
  { options, metrics: address }: GitOpsFlagOptions,
  { client, signal, log, watched, tracer }: ControllerRun,
): Promise<void> {
  const core = watched?.dashboard.core;
  const metrics = prometheusMetrics({ withProcess: true });
  const scraped = address && new HealthServer({ ...address, metrics: metrics.registry });
  await scraped?.listen();
  let lock: DirectoryLock | undefined;
  try {
    // Two that write artifacts to one directory would take each other's away.
    if (controllers.includes('source'))
      lock = await DirectoryLock.acquire(options.storageDirectory);
    await new GitOpsControllers({
      ...options,
      client,
      controllers,
      metrics,
      tracer,
      onStandingAside: (controller, rival) => log(asideEntry(controller, rival)),
      onApplied: core && ((applied) => core.noteApplied(appliedHappening(applied))),
      onError: (error, about) =>
        log({
          level: 'warn',
          part: partOfKind(about?.kind),
          message: error instanceof Error ? error.message : String(error),
          fields: about && { kind: about.kind, object: about.key },
        }),
    }).run(signal);
  } finally {
    await lock?.release();
    await scraped?.close();
  }
}

/** What is said when a controller waits for another to stop, and when that has. */
function asideEntry(controller: string, rival: Rival | undefined): LogEntry {
  const part = logParts.find((one) => one === controller);
  return rival === undefined
    ? {
        level: 'info',
        part,
        message: `${controller} takes over: nobody else acts`,
        fields: { controller },
      }
    : {
        level: 'warn',
        part,
        message: `${controller} stands aside: another controller acts on the same kinds`,
        fields: { controller, ...rival },
      };
}

async function connect(
  value: (name: string) => string,
  said: (name: string) => string | undefined,
  context: CliContext,
): Promise<{ readonly client: KubeClient; readonly namespace: string }> {
  const kubeconfig = value('kubeconfig');
  try {
    const config = await loadConfig({
      environment: context.env,
      ...(kubeconfig === '' ? {} : { kubeconfig }),
    });
    const server = value('apiserver-host');
    const client = new KubeClient(server === '' ? config : { ...config, server }, {
      qps: pace(['kube-api-qps', 'apiserver-qps'], value, said),
      burst: pace(['kube-api-burst', 'apiserver-burst'], value, said),
    });
    return { client, namespace: config.namespace };
  } catch (error) {
    if (error instanceof KubeError) throw new CliError(error.message, { cause: error });
    throw error;
  }
}

/** One client serves all controllers: of the two names of a limit, the larger that was given counts. */
function pace(
  names: readonly [string, string],
  value: (name: string) => string,
  said: (name: string) => string | undefined,
): number {
  const given = names.filter((name) => said(name) !== undefined);
  const limits = given.map((name) => {
    const limit = Number(said(name));
    if (!Number.isFinite(limit) || said(name) === '') throw usage(`--${name} must be a number`);
    return limit;
  });
  return limits.length === 0 ? Number(value(names[1])) : Math.max(...limits);
}

function usage(message: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage });
}
