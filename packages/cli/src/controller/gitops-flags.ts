import { createHash } from 'node:crypto';
import { parseStageKinds } from '@waygate/apply';
import type { GitOpsControllersOptions } from '@waygate/gitops';
import { parseDuration } from '@waygate/text';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ListenAddress, listenOption, parseListenAddress } from '../listen-address.ts';

/** What Flux's controllers are told on their command lines, under the same names. */
export interface GitOpsFlags {
  readonly storagePath: string;
  readonly storageAddr: ListenAddress;
  readonly storageAdvAddr?: string;
  readonly artifactRetentionTtl: number;
  readonly artifactRetentionRecords: number;
  readonly concurrent: number;
  readonly concurrentSources: number;
  readonly concurrentSsa: number;
  readonly requeueDependency: number;
  readonly intervalJitterPercentage: number;
  readonly crossNamespaceRefs: boolean;
  readonly externalArtifacts: boolean;
  readonly defaultServiceAccount?: string;
  readonly watchLabelSelector?: string;
  readonly overrideManager?: readonly string[];
  readonly customApplyStageKinds?: string;
  readonly eventsAddr?: string;
  readonly enableLeaderElection: boolean;
  readonly leaderElectionLeaseDuration: number;
  readonly leaderElectionRenewDeadline: number;
  readonly leaderElectionRetryPeriod: number;
  readonly metricsAddr: ListenAddress | 'off';
  readonly healthAddr: ListenAddress | 'off';
}

export function addGitOpsFlags(command: Command): void {
  const duration = (flag: string, summary: string, shown: string): Option =>
    new Option(`--${flag} <duration>`, summary)
      .default(parseDuration(shown), shown)
      .argParser(readDuration);
  const address = (flag: string, summary: string, shown: string): Option =>
    listenOption(`--${flag}`, summary, shown).argParser((text) =>
      text === 'off' ? text : parseListenAddress(text),
    );
  const options = [
    new Option('--storage-path <dir>', 'where artifacts of sources are kept').default('/data'),
    listenOption('--storage-addr', 'where artifacts are served', '127.0.0.1:9090'),
    new Option(
      '--storage-adv-addr <host>',
      'what others reach the artifacts by, such as the name of a Service',
    ),
    duration('artifact-retention-ttl', 'how long an artifact outlives its successor', '1m'),
    count('artifact-retention-records', 'artifacts of a source that are kept in any case', 2),
    count('concurrent', 'Kustomizations reconciled at a time', 8),
    count('concurrent-sources', 'sources reconciled at a time', 4),
    count('concurrent-ssa', 'objects of one Kustomization applied at a time', 4),
    duration('requeue-dependency', 'how soon to look again for what is missing', '30s'),
    new Option('--interval-jitter-percentage <percent>', 'by how much intervals differ')
      .default(5)
      .argParser(readPercentage),
    new Option('--no-cross-namespace-refs', 'sources of other namespaces may not be used'),
    new Option(
      '--no-external-artifacts',
      'artifacts of other controllers may not be used, as with Flux’s feature gate ExternalArtifact off',
    ),
    new Option('--default-service-account <name>', 'for Kustomizations that name none'),
    new Option(
      '--watch-label-selector <selector>',
      'only sources and Kustomizations with these labels: a shard',
    ),
    new Option(
      '--override-manager <names...>',
      'field managers whose fields become ours, beside kubectl',
    ),
    new Option('--custom-apply-stage-kinds <kinds>', 'kinds applied before others: group/Kind,…'),
    new Option('--events-addr <url>', 'where events go too: notification-controller').argParser(
      readUrl,
    ),
    new Option('--enable-leader-election', 'several replicas: one of them acts').default(false),
    duration('leader-election-lease-duration', 'how long the others wait', '35s'),
    duration('leader-election-renew-deadline', 'how long the leader tries to renew', '30s'),
    duration('leader-election-retry-period', 'the pause between tries', '5s'),
    address(
      'metrics-addr',
      'where the metrics of sources and Kustomizations are; or off',
      '127.0.0.1:8080',
    ),
    address('health-addr', 'where /healthz and /readyz of them are; or off', '127.0.0.1:9440'),
  ];
  for (const option of options) command.addOption(option);
}

/** The options of the controllers that a command line means. */
export function gitOpsOptions(
  flags: GitOpsFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Omit<GitOpsControllersOptions, 'client'> {
  const { storageAdvAddr, watchLabelSelector, customApplyStageKinds, healthAddr } = flags;
  return {
    storageDirectory: flags.storagePath,
    listen: { ...flags.storageAddr, advertisedAddress: storageAdvAddr },
    retentionTtlMs: flags.artifactRetentionTtl,
    retentionRecords: flags.artifactRetentionRecords,
    concurrent: flags.concurrent,
    concurrentSources: flags.concurrentSources,
    concurrentApply: flags.concurrentSsa,
    requeueDependencyMs: flags.requeueDependency,
    jitter: flags.intervalJitterPercentage / 100,
    noCrossNamespaceRefs: !flags.crossNamespaceRefs,
    externalArtifacts: flags.externalArtifacts,
    defaultServiceAccount: flags.defaultServiceAccount,
    labelSelector: watchLabelSelector,
    overrideManagers: flags.overrideManager,
    customStageKinds:
      customApplyStageKinds === undefined ? undefined : parseStageKinds(customApplyStageKinds),
    eventsUrl: flags.eventsAddr,
    leaderElection: flags.enableLeaderElection ? electionOf(flags, environment) : false,
    ...(healthAddr === 'off' ? {} : { server: healthAddr }),
  };
}

/** Shards lead each for themselves: every one of them has a Lease of its own. */
function electionOf(
  flags: GitOpsFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Exclude<GitOpsControllersOptions['leaderElection'], false | undefined> {
  const { watchLabelSelector } = flags;
  const namespace = environment.RUNTIME_NAMESPACE ?? environment.POD_NAMESPACE;
  const digest = createHash('sha256')
    .update(watchLabelSelector ?? '')
    .digest('hex')
    .slice(0, 8);
  return {
    name: watchLabelSelector === undefined ? 'waygate-gitops' : `waygate-gitops-${digest}`,
    ...(namespace === undefined ? {} : { namespace }),
    leaseDurationMs: flags.leaderElectionLeaseDuration,
    renewDeadlineMs: flags.leaderElectionRenewDeadline,
    retryPeriodMs: flags.leaderElectionRetryPeriod,
  };
}

function count(flag: string, summary: string, value: number): Option {
  return new Option(`--${flag} <count>`, summary).default(value).argParser(readCount);
}

function readCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text))
    throw new InvalidArgumentError('must be a whole number above 0.');
  return Number(text);
}

function readPercentage(text: string): number {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('must be a number from 0 to 99.');
  return Number(text);
}

function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('must be an http or https URL.');
  return text;
}

function readDuration(text: string): number {
  try {
    const milliseconds = parseDuration(text);
    if (milliseconds > 0) return milliseconds;
  } catch {
    // Said below, as for a duration that is not positive.
  }
  throw new InvalidArgumentError('must be a duration such as 90s or 5m.');
}
