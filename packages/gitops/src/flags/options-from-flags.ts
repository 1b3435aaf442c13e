import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { parseStageKinds } from '@waygate/apply';
import {
  electionTiming,
  type FlagAddress,
  FlagReader,
  type FlagValues,
  readGates,
} from '@waygate/runtime';
import { parseLabelSelector } from '@waygate/text';
import type { DigestAlgorithm } from '../artifact/artifact-storage.ts';
import type { GitOpsControllerName, GitOpsControllersOptions } from '../gitops-controllers.ts';
import { messageOf } from '../gitops-error.ts';
import { gitOpsFlags, gitOpsGates } from './gitops-flags.ts';

type Election = Exclude<GitOpsControllersOptions['leaderElection'], false | undefined>;

/** Two gigabytes: no chart is larger, and no buffer. */
const mostBytes = 2 ** 31;

/** What the flags of the GitOps controllers say, with what is wrong or without effect in them. */
export interface GitOpsFlagOptions {
  readonly options: Omit<GitOpsControllersOptions, 'client' | 'controllers'>;
  /** Where metrics are served; undefined when they are switched off. */
  readonly metrics?: FlagAddress | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What the flags do not say. */
export interface GitOpsSurroundings {
  /** Which controllers run: `--concurrent` is about what the replaced program reconciles. */
  readonly controllers: readonly GitOpsControllerName[];
  /** Feature gates of others who share the command line. */
  readonly otherGates?: readonly string[];
}

/**
 * Reads the flags of source-controller and kustomize-controller, as texts by name.
 *
 * ```ts
 * const flags = { concurrent: '8', 'no-cross-namespace-refs': 'maybe' };
 * const { options, problems } = gitOpsOptionsFromFlags(flags, {}, { controllers: ['kustomize'] });
 * options.concurrent; // 8
 * problems; // ['--no-cross-namespace-refs must be true or false']
 * ```
 */
export function gitOpsOptionsFromFlags(
  given: FlagValues,
  environment: FlagValues,
  { controllers, otherGates = [] }: GitOpsSurroundings,
): GitOpsFlagOptions {
  const flags = new FlagReader(gitOpsFlags, given, { environment });
  const { problems, warnings } = flags;
  const gates = readGates(flags.list('feature-gates'), gitOpsGates, otherGates);
  problems.push(...gates.problems);
  warnings.push(...gates.warnings);
  const isOn = (gate: string): boolean | undefined => gates.values.get(gate);
  if (!flags.isOn('no-remote-bases', true))
    warnings.push('--no-remote-bases=false has no effect: remote bases are never fetched');
  const ownNamespace = environment.RUNTIME_NAMESPACE || environment.POD_NAMESPACE || undefined;
  const scope = scopeOf(flags, ownNamespace);
  const health = flags.address('health-addr');
  return {
    problems,
    warnings,
    metrics: flags.address('metrics-addr'),
    options: {
      standsAside: !flags.isOn('act-beside-others', false),
      ...artifactOptions(flags, environment),
      ...paceOptions(flags, !controllers.includes('kustomize')),
      ...scope,
      watchedConfigSelector: isOn('DisableConfigWatchers')
        ? false
        : selectorOf('watch-configs-label-selector', flags),
      externalArtifacts:
        !flags.isOn('no-external-artifacts', false) && (isOn('ExternalArtifact') ?? true),
      strictSubstitution: isOn('StrictPostBuildSubstitutions'),
      overrideManagers: flags.givenList('override-manager'),
      customStageKinds: stageKindsOf(flags),
      ...eventsOf(flags),
      receiversListen: flags.address('receiverAddr'),
      rateLimitIntervalMs: flags.positiveDuration('rate-limit-interval'),
      ...rightsOptions(flags),
      sshAlgorithms: {
        keyExchange: algorithmsOf('ssh-kex-algos', flags),
        hostKey: algorithmsOf('ssh-hostkey-algos', flags),
      },
      leaderElection: leaderElectionOf(flags, environment, scope.labelSelector, ownNamespace),
      ...(health === undefined ? {} : { server: health }),
    },
  };
}

/** Which objects are ours, and what our own namespace has for them. */
function scopeOf(flags: FlagReader, ownNamespace: string | undefined) {
  const needsNamespace = (flag: string): void => {
    if (ownNamespace === undefined)
      flags.problems.push(
        `${flag} needs our own namespace in the environment, as RUNTIME_NAMESPACE`,
      );
  };
  const isEverywhere = flags.isOn('watch-all-namespaces', true);
  if (!isEverywhere) needsNamespace('--watch-all-namespaces=false');
  const ageSecret = flags.text('sops-age-secret');
  if (ageSecret !== undefined) needsNamespace('--sops-age-secret');
  return {
    namespace: isEverywhere ? undefined : ownNamespace,
    labelSelector: selectorOf('watch-label-selector', flags),
    ...(ageSecret !== undefined && ownNamespace !== undefined
      ? { sopsAgeSecret: { namespace: ownNamespace, name: ageSecret } }
      : {}),
  };
}

/** Where artifacts are kept and served, for how long, and how large what they are made of may be. */
function artifactOptions(flags: FlagReader, environment: FlagValues) {
  const storage = flags.address('storage-addr');
  if (storage === undefined && flags.problems.every((one) => !one.startsWith('--storage-addr')))
    flags.problems.push('--storage-addr must be host:port: Kustomizations read artifacts there');
  return {
    storageDirectory: flags.text('storage-path') ?? '/data',
    listen: {
      ...storage,
      advertisedAddress: flags.text('storage-adv-addr'),
      peerHost: environment.POD_IP || undefined,
    },
    digestAlgorithm: digestAlgorithmOf(flags),
    retentionTtlMs: flags.positiveDuration('artifact-retention-ttl'),
    retentionRecords: flags.count('artifact-retention-records'),
    chartSizes: {
      indexBytes: flags.count('helm-index-max-size', 1, mostBytes),
      chartBytes: flags.count('helm-chart-max-size', 1, mostBytes),
      fileBytes: flags.count('helm-chart-file-max-size', 1, mostBytes),
    },
  };
}

/** How much at a time, and how soon again. */
function paceOptions(flags: FlagReader, isOnlySources: boolean) {
  const concurrent = flags.count('concurrent');
  const retries = flags.count('http-retry', 0);
  const jitterPercent = flags.count('interval-jitter-percentage', 0, 99);
  const minRetryMs = flags.positiveDuration('min-retry-delay');
  const maxRetryMs = flags.positiveDuration('max-retry-delay');
  if ((minRetryMs ?? 750) > (maxRetryMs ?? 900_000))
    flags.problems.push('--min-retry-delay must not be longer than --max-retry-delay');
  return {
    concurrent,
    concurrentSources:
      flags.count('concurrent-sources') ?? (isOnlySources ? concurrent : undefined),
    concurrentApply: flags.count('concurrent-ssa'),
    downloadTries: retries === undefined ? undefined : retries + 1,
    minRetryMs,
    maxRetryMs,
    requeueDependencyMs: flags.positiveDuration('requeue-dependency'),
    jitter: jitterPercent === undefined ? undefined : jitterPercent / 100,
  };
}

/** What tenants may refer to, and with whose rights they act. */
function rightsOptions(flags: FlagReader) {
  return {
    noCrossNamespaceRefs: flags.isOn('no-cross-namespace-refs', false),
    defaultServiceAccount: flags.text('default-service-account'),
    kubeconfigs: {
      mayExec: flags.isOn('insecure-kubeconfig-exec', false),
      maySkipTlsVerify: flags.isOn('insecure-kubeconfig-tls', false),
      defaultServiceAccount: flags.text('default-kubeconfig-service-account') || undefined,
    },
  };
}

/** One name for two things, as in Flux: where events are sent, and where notification-controller takes them. */
function eventsOf(flags: FlagReader): Pick<GitOpsControllersOptions, 'eventsUrl' | 'eventsListen'> {
  const isAddress = /^[^/]*:\d+$/u.test(flags.text('events-addr') ?? '');
  return isAddress
    ? { eventsListen: flags.address('events-addr') }
    : {
        eventsUrl: flags.url('events-addr'),
        eventsListen: flags.address('events-listen-addr'),
      };
}

/** Shards lead each for themselves: every one of them has a Lease of its own. */
function leaderElectionOf(
  flags: FlagReader,
  environment: FlagValues,
  labelSelector: string | undefined,
  namespace: string | undefined,
): Election | false {
  const digest = createHash('sha256')
    .update(labelSelector ?? '')
    .digest('hex')
    .slice(0, 8);
  const election: Election = {
    name: labelSelector === undefined ? 'waygate-gitops' : `waygate-gitops-${digest}`,
    ...(namespace === undefined ? {} : { namespace }),
    // One name for the life of the process: who lost its Lease in an outage of the API takes it again at
    // once, where another one would have to wait until it is over.
    identity: `${environment.POD_NAME || hostname()}_${randomUUID()}`,
    ...electionTiming(flags, {
      leaseDurationMs: 35_000,
      renewDeadlineMs: 30_000,
      retryPeriodMs: 5_000,
    }),
    releaseOnCancel: flags.isOn('leader-election-release-on-cancel', true),
  };
  return flags.isOn('enable-leader-election', false) ? election : false;
}

function digestAlgorithmOf(flags: FlagReader): DigestAlgorithm | undefined {
  // Flux knows one more, which Node.js has not: what is published is only read by its digest's name.
  if (flags.text('artifact-digest-algo') !== 'blake3')
    return flags.choice('artifact-digest-algo', ['sha256', 'sha384', 'sha512']);
  flags.warnings.push('--artifact-digest-algo=blake3 has no effect: sha256 is used');
  return undefined;
}

function stageKindsOf(flags: FlagReader): GitOpsControllersOptions['customStageKinds'] {
  const text = flags.text('custom-apply-stage-kinds');
  if (text === undefined) return undefined;
  try {
    return parseStageKinds(text);
  } catch (error) {
    flags.problems.push(`--custom-apply-stage-kinds: ${messageOf(error)}`);
    return undefined;
  }
}

function selectorOf(name: string, flags: FlagReader): string | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  try {
    parseLabelSelector(text);
    return text;
  } catch (error) {
    flags.problems.push(`--${name}: ${messageOf(error)}`);
    return undefined;
  }
}

/** Names go on a command line of `ssh`: nothing else may. */
function algorithmsOf(name: string, flags: FlagReader): readonly string[] | undefined {
  const names = flags.givenList(name);
  if (names?.some((one) => !/^[A-Za-z0-9][A-Za-z0-9@.-]*$/u.test(one)))
    flags.problems.push(`--${name} must be names of algorithms, such as curve25519-sha256`);
  return names;
}
