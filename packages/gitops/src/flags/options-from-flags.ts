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
  const ownNamespace = environment.RUNTIME_NAMESPACE || environment.POD_NAMESPACE || undefined;
  const needsNamespace = (flag: string): void => {
    if (ownNamespace === undefined)
      problems.push(`${flag} needs our own namespace in the environment, as RUNTIME_NAMESPACE`);
  };
  const isEverywhere = flags.isOn('watch-all-namespaces', true);
  if (!isEverywhere) needsNamespace('--watch-all-namespaces=false');
  const ageSecret = flags.text('sops-age-secret');
  if (ageSecret !== undefined) needsNamespace('--sops-age-secret');
  if (!flags.isOn('no-remote-bases', true))
    warnings.push('--no-remote-bases=false has no effect: remote bases are never fetched');
  const labelSelector = selectorOf('watch-label-selector', flags);
  const configSelector = selectorOf('watch-configs-label-selector', flags);
  const concurrent = flags.count('concurrent');
  const isOnlySources = !controllers.includes('kustomize');
  const retries = flags.count('http-retry', 0);
  const jitterPercent = flags.count('interval-jitter-percentage', 0, 99);
  const minRetryMs = flags.positiveDuration('min-retry-delay');
  const maxRetryMs = flags.positiveDuration('max-retry-delay');
  if ((minRetryMs ?? 750) > (maxRetryMs ?? 900_000))
    problems.push('--min-retry-delay must not be longer than --max-retry-delay');
  const storage = flags.address('storage-addr');
  if (storage === undefined && problems.every((one) => !one.startsWith('--storage-addr')))
    problems.push('--storage-addr must be host:port: Kustomizations read artifacts there');
  const health = flags.address('health-addr');
  const election = electionOf(
    flags,
    labelSelector,
    ownNamespace,
    environment.POD_NAME || undefined,
  );
  return {
    problems,
    warnings,
    metrics: flags.address('metrics-addr'),
    options: {
      standsAside: !flags.isOn('act-beside-others', false),
      storageDirectory: flags.text('storage-path') ?? '/data',
      listen: {
        ...storage,
        advertisedAddress: flags.text('storage-adv-addr'),
        peerHost: environment.POD_IP || undefined,
      },
      digestAlgorithm: digestAlgorithmOf(flags),
      retentionTtlMs: flags.positiveDuration('artifact-retention-ttl'),
      retentionRecords: flags.count('artifact-retention-records'),
      concurrent,
      concurrentSources:
        flags.count('concurrent-sources') ?? (isOnlySources ? concurrent : undefined),
      concurrentApply: flags.count('concurrent-ssa'),
      downloadTries: retries === undefined ? undefined : retries + 1,
      minRetryMs,
      maxRetryMs,
      requeueDependencyMs: flags.positiveDuration('requeue-dependency'),
      jitter: jitterPercent === undefined ? undefined : jitterPercent / 100,
      noCrossNamespaceRefs: flags.isOn('no-cross-namespace-refs', false),
      externalArtifacts:
        !flags.isOn('no-external-artifacts', false) &&
        (gates.values.get('ExternalArtifact') ?? true),
      strictSubstitution: gates.values.get('StrictPostBuildSubstitutions'),
      defaultServiceAccount: flags.text('default-service-account'),
      namespace: isEverywhere ? undefined : ownNamespace,
      labelSelector,
      watchedConfigSelector: gates.values.get('DisableConfigWatchers') ? false : configSelector,
      overrideManagers: flags.givenList('override-manager'),
      customStageKinds: stageKindsOf(flags),
      ...eventsOf(flags),
      receiversListen: flags.address('receiverAddr'),
      rateLimitIntervalMs: flags.positiveDuration('rate-limit-interval'),
      kubeconfigs: {
        mayExec: flags.isOn('insecure-kubeconfig-exec', false),
        maySkipTlsVerify: flags.isOn('insecure-kubeconfig-tls', false),
        defaultServiceAccount: flags.text('default-kubeconfig-service-account') || undefined,
      },
      sshAlgorithms: {
        keyExchange: algorithmsOf('ssh-kex-algos', flags),
        hostKey: algorithmsOf('ssh-hostkey-algos', flags),
      },
      ...(ageSecret !== undefined && ownNamespace !== undefined
        ? { sopsAgeSecret: { namespace: ownNamespace, name: ageSecret } }
        : {}),
      chartSizes: {
        indexBytes: flags.count('helm-index-max-size', 1, mostBytes),
        chartBytes: flags.count('helm-chart-max-size', 1, mostBytes),
        fileBytes: flags.count('helm-chart-file-max-size', 1, mostBytes),
      },
      leaderElection: flags.isOn('enable-leader-election', false) ? election : false,
      ...(health === undefined ? {} : { server: health }),
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
function electionOf(
  flags: FlagReader,
  labelSelector: string | undefined,
  namespace: string | undefined,
  pod: string | undefined,
): Election {
  const digest = createHash('sha256')
    .update(labelSelector ?? '')
    .digest('hex')
    .slice(0, 8);
  return {
    name: labelSelector === undefined ? 'waygate-gitops' : `waygate-gitops-${digest}`,
    ...(namespace === undefined ? {} : { namespace }),
    // One name for the life of the process: who lost its Lease in an outage of the API takes it again at
    // once, where another one would have to wait until it is over.
    identity: `${pod ?? hostname()}_${randomUUID()}`,
    ...electionTiming(flags, {
      leaseDurationMs: 35_000,
      renewDeadlineMs: 30_000,
      retryPeriodMs: 5_000,
    }),
    releaseOnCancel: flags.isOn('leader-election-release-on-cancel', true),
  };
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
