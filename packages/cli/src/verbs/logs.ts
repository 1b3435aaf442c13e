import { isForbidden, type KubeClient } from '@waygate/kube';
import { kinds, type Pod } from '@waygate/schema';
import { type Command, Option } from 'commander';
import { type ClusterFlags, clusterOptions, withCluster } from '../cluster-option.ts';
import { type CliContext, CliError, exitCode } from '../context.ts';
import { declareFluxFlags } from '../flux/flux-flags.ts';
import { controllerLine, isWantedLine, type LineFilter, logText } from '../flux/log-line.ts';
import { findRun, runOfKubeconfig } from '../runs/find-run.ts';
import { followLog } from '../runs/run-log.ts';

interface Flags extends ClusterFlags {
  readonly level?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly follow?: boolean;
  readonly tail: number;
  readonly fluxNamespace?: string;
  readonly allNamespaces?: boolean;
  readonly since?: number;
  readonly sinceTime?: string;
}

export function configure(command: Command, context: CliContext): void {
  clusterOptions(command)
    .addOption(
      new Option('--level <level>', 'only lines of a level').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    )
    .option('--kind <kind>', 'only about objects of a kind')
    .option('--name <name>', 'only about objects of a name')
    .option('-f, --follow', 'go on with what is written, until interrupted')
    .addOption(
      new Option('--tail <lines>', 'the last lines of each controller')
        .argParser(Number)
        .default(-1),
    )
    .option('--flux-namespace <name>', 'where the controllers run (default: wherever they are)')
    .option('-A, --all-namespaces', 'about objects of all namespaces (the default)')
    .option('--since-time <time>', 'only newer lines: 2026-01-01T00:00:00Z');
  declareFluxFlags(command, [
    { name: 'since', kind: 'duration', summary: 'only newer lines: 5s, 2m or 3h' },
  ]);
  command
    .addHelpText(
      'after',
      `
Prints what the controllers write, as "flux logs" does: of Waygate's and of Flux' own in a cluster, or of
the waygate up of this directory. -n chooses the lines about objects of one namespace.

Examples:
  waygate logs
  waygate logs --level=error --since=10m
  waygate logs -f --kind=Kustomization --name=apps -n shop`,
    )
    .action((flags: Flags) => run(flags, context));
}

async function run(flags: Flags, context: CliContext): Promise<void> {
  if (flags.since !== undefined && flags.sinceTime !== undefined)
    throw usage('at most one of --since and --since-time may be given');
  if (flags.sinceTime !== undefined && Number.isNaN(Date.parse(flags.sinceTime)))
    throw usage(`${flags.sinceTime} is not a valid (RFC3339) time`);
  if (!Number.isInteger(flags.tail)) throw usage('--tail is a number of lines');
  const filter: LineFilter = {
    level: flags.level,
    kind: flags.kind,
    name: flags.name,
    namespace: flags.allNamespaces === true ? undefined : flags.namespace,
  };
  const show = (line: string): void => {
    const entry = controllerLine(line);
    if (entry !== undefined && isWantedLine(entry, filter))
      context.stdout.write(`${logText(entry)}\n`);
  };
  const own = ownLog(flags, context);
  if (own === undefined) return clusterLogs(flags, show, context);
  const since =
    flags.since === undefined ? Date.parse(flags.sinceTime ?? '') : Date.now() - flags.since;
  const isNew = (line: string): boolean =>
    Number.isNaN(since) || Date.parse(controllerLine(line)?.time ?? '') >= since;
  await followLog(own, {
    tail: flags.tail,
    isFollowed: flags.follow === true,
    signal: context.signal,
    onLine: (line) => {
      if (isNew(line)) show(line);
    },
  });
}

function usage(message: string): CliError {
  return new CliError(message, { exitCode: exitCode.usage });
}

/** The log of the `waygate up` of this directory, unless a cluster is named. */
function ownLog(flags: Flags, context: CliContext): string | undefined {
  if (flags.context !== undefined) return undefined;
  const named = flags.kubeconfig ?? context.env.KUBECONFIG ?? '';
  if (named !== '') return runOfKubeconfig(context.env, named)?.logFile;
  const found = findRun(context.cwd, context.env);
  if (found?.logFile === undefined) return undefined;
  context.stderr.write(
    `(the waygate up of ${found.directory}; KUBECONFIG chooses another cluster)\n`,
  );
  return found.logFile;
}

async function clusterLogs(
  flags: Flags,
  show: (line: string) => void,
  context: CliContext,
): Promise<void> {
  await withCluster(flags, context, async (client, own) => {
    const pods = await controllerPods(client, flags.fluxNamespace, own);
    if (pods.length === 0) {
      throw new CliError('no controllers were found', {
        hint: `Neither Waygate's nor Flux' run in ${flags.fluxNamespace ?? 'this cluster'}; --flux-namespace names where.`,
      });
    }
    const failed: string[] = [];
    const read = async (pod: Pod): Promise<void> => {
      try {
        for await (const line of linesOf(client, pod, flags, context.signal)) show(line);
      } catch (error) {
        failed.push(`${pod.metadata.namespace}/${pod.metadata.name}: ${(error as Error).message}`);
      }
    };
    if (flags.follow === true) await Promise.all(pods.map(read));
    else for (const pod of pods) await read(pod);
    if (failed.length > 0) throw new CliError(`logs could not be read:\n${failed.join('\n')}`);
  });
}

function linesOf(client: KubeClient, pod: Pod, flags: Flags, signal: AbortSignal) {
  const { name = '', namespace = 'default' } = pod.metadata;
  const containers = pod.spec?.containers ?? [];
  // Beside another, a controller of Flux is called so.
  const main = containers.find((each) => ['manager', 'waygate'].includes(each.name));
  const container = containers.length > 1 ? (main ?? containers[0])?.name : undefined;
  return client.pod(namespace, name).logLines(
    {
      follow: flags.follow === true,
      ...(container === undefined ? {} : { container }),
      ...(flags.tail < 0 ? {} : { tailLines: flags.tail }),
      ...(flags.since === undefined
        ? {}
        : { sinceSeconds: Math.max(1, Math.round(flags.since / 1000)) }),
      ...(flags.sinceTime === undefined ? {} : { sinceTime: flags.sinceTime }),
    },
    { signal },
  );
}

/** What Waygate's Deployments and those of Flux are known by. */
const selectors = ['app.kubernetes.io/name=waygate', 'app.kubernetes.io/part-of=flux'];

/** The Pods of controllers, those that run first; in one namespace, or in all where that is allowed. */
async function controllerPods(
  client: KubeClient,
  wanted: string | undefined,
  own: string,
): Promise<Pod[]> {
  const places = wanted === undefined ? [undefined, own] : [wanted];
  for (const namespace of places) {
    try {
      return await podsIn(client, namespace);
    } catch (error) {
      if (namespace !== undefined || !isForbidden(error)) throw error;
    }
  }
  return [];
}

async function podsIn(client: KubeClient, namespace: string | undefined): Promise<Pod[]> {
  const scope = namespace === undefined ? {} : { namespace };
  const found = new Map<string, Pod>();
  for (const labelSelector of selectors) {
    const { items } = await client.resource(kinds.Deployment).listAll({ ...scope, labelSelector });
    for (const { metadata, spec } of items) {
      const labels = Object.entries(spec?.template.metadata?.labels ?? {});
      if (labels.length === 0) continue;
      const pods = await client.resource(kinds.Pod).listAll({
        namespace: metadata.namespace ?? 'default',
        labelSelector: labels.map(([key, value]) => `${key}=${value}`).join(','),
      });
      for (const pod of pods.items) found.set(pod.metadata.uid ?? '', pod);
    }
  }
  const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';
  return [...found.values()].sort(
    (one, other) => Number(isRunning(other)) - Number(isRunning(one)),
  );
}
