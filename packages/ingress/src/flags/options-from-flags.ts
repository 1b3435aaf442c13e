import { type ElectionTiming, electionTiming, FlagReader, type FlagValues } from '@waygate/runtime';
import type { IngressControllerOptions } from '../controller/controller-options.ts';
import type { GatewayDiscoverySettings } from '../controller/gateway-discovery.ts';
import { controllerFlags } from './controller-flags.ts';
import { featuresOfGates } from './feature-gates.ts';
import { nginxFromFlags } from './nginx-flags.ts';

/** The part of the controller's options that flags decide; clients are the program's to make. */
export type FlagOptions = Omit<IngressControllerOptions, 'client' | 'kongAdmin'> & {
  /** Where gateways are to be discovered; the program makes the clients. */
  readonly discovery?: Omit<GatewayDiscoverySettings, 'connect'>;
  /** How long to go on after a signal to end. */
  readonly termDelayMs?: number;
};

/** What the flags do not say: where and as whom we run. */
export interface Surroundings {
  readonly identity: string;
  /** The namespace of the kubeconfig or of our Pod, for the Lease. */
  readonly namespace?: string;
  /** Feature gates of others who share the command line. */
  readonly otherGates?: readonly string[];
}

/** What flags say, with what is wrong or without effect in them. */
export interface ParsedFlags {
  readonly options: FlagOptions;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads flags as texts, by name; what is not given is looked up in the environment.
 *
 * ```ts
 * const { options, problems } = optionsFromFlags({ 'watch-namespace': 'shop', 'sync-period': 'soon' }, {}, { identity: 'pod-1' });
 * options.watchNamespaces; // ['shop']
 * problems; // ['--sync-period must be a duration, such as 10s']
 * ```
 */
export function optionsFromFlags(
  given: FlagValues,
  environment: FlagValues,
  { identity, namespace = 'default', otherGates = [] }: Surroundings,
): ParsedFlags {
  const flags = new FlagReader(controllerFlags, given, { environment });
  const ownNamespace = environment.POD_NAMESPACE || undefined;
  const syncSeconds = flags.number('proxy-sync-seconds');
  const metrics = flags.address('metrics-bind-address');
  const isRestricted = flags.choice('metrics-access-filter', ['off', 'rbac']) === 'rbac';
  const options = withoutUndefined({
    translate: translateOptions(flags, podOf(environment), otherGates),
    standsAside: !flags.isOn('act-beside-others', false),
    watchNamespaces: flags.list('watch-namespace'),
    disabledControllers: controllerFlags
      .filter(({ name }) => name.startsWith('enable-controller-') && !flags.isOn(name, true))
      .map(({ name }) => name.slice('enable-controller-'.length)),
    secretLabelSelector: labelSelector(flags, 'secret-label-selector'),
    configMapLabelSelector: labelSelector(flags, 'configmap-label-selector'),
    gatewayToReconcile: flags.objectKey('gateway-to-reconcile'),
    discovery: discoveryOptions(flags),
    pod: podOf(environment),
    termDelayMs: flags.duration('term-delay'),
    filterTags: flags.has('kong-admin-filter-tag')
      ? flags.list('kong-admin-filter-tag')
      : undefined,
    adminConcurrency: flags.number('kong-admin-concurrency'),
    skipsCaCertificates: flags.isOn('skip-ca-certificates', false),
    maxPauseMs: syncSeconds === undefined ? undefined : syncSeconds * 1000,
    fullComparisonMs: flags.isOn('enable-reverse-sync', false) ? 0 : flags.duration('sync-period'),
    updateStatus: flags.isOn('update-status', true),
    publishStatusAddress: flags.list('publish-status-address'),
    publishService: flags.objectKey('publish-service'),
    publishStatusAddressUdp: flags.list('publish-status-address-udp'),
    publishServiceUdp: flags.objectKey('publish-service-udp'),
    updateStatusOnShutdown: flags.isOn('update-status-on-shutdown', false),
    emitEvents: flags.isOn('emit-kubernetes-events', true),
    leaderElection: electionOptions(flags, identity, ownNamespace, namespace),
    passthrough: flags.isOn('enable-ssl-passthrough', false)
      ? {
          listen: { host: '::', port: 443 },
          kongTls: { host: '127.0.0.1', port: flags.number('ssl-passthrough-proxy-port') ?? 442 },
        }
      : undefined,
    health: flags.address('health-probe-bind-address'),
    metrics: metrics && { ...metrics, isRestricted },
    diagnostics: flags.isOn('dump-config', false)
      ? { host: '127.0.0.1', port: flags.number('diagnostic-server-port') ?? 10_256 }
      : undefined,
    admission: admissionOptions(flags, ownNamespace ?? namespace),
  }) as FlagOptions;
  return { problems: flags.problems, warnings: flags.warnings, options };
}

function translateOptions(
  flags: FlagReader,
  pod: ReturnType<typeof podOf>,
  otherGates: readonly string[],
): FlagOptions['translate'] {
  const gates = featuresOfGates(flags.list('feature-gates'), otherGates);
  flags.problems.push(...gates.problems);
  flags.warnings.push(...gates.warnings);
  const combined = 'combined-services-from-different-httproutes';
  return withoutUndefined({
    naming: flags.choice('naming', ['modern', 'legacy']),
    ingressClass: flags.text('ingress-class'),
    clusterDomain: flags.text('cluster-domain'),
    workspace: flags.text('kong-workspace'),
    gatewayControllerName: flags.text('gateway-api-controller-name'),
    isDrainSupportEnabled: flags.isOn('enable-drain-support', false),
    isolatesHosts: flags.isOn('isolate-hosts', false),
    nginx: nginxFromFlags(flags, pod),
    features: {
      ...gates.features,
      ...(flags.has(combined) && {
        combinedServicesFromDifferentHttpRoutes: flags.isOn(combined, false),
      }),
    },
  }) as FlagOptions['translate'];
}

/** A label alone means that it is "true". */
function labelSelector(flags: FlagReader, name: string): string | undefined {
  const value = flags.text(name);
  return value === undefined || /[=!,() ]/u.test(value) ? value : `${value}=true`;
}

/** How gateways are found behind a Service of theirs; undefined where an address is given instead. */
function discoveryOptions(flags: FlagReader): FlagOptions['discovery'] {
  const service = flags.objectKey('kong-admin-svc');
  const checkIntervalMs = flags.duration('gateway-discovery-readiness-check-interval');
  const checkTimeoutMs = flags.duration('gateway-discovery-readiness-check-timeout');
  if (checkIntervalMs !== undefined && checkIntervalMs < 3_000)
    flags.problems.push('--gateway-discovery-readiness-check-interval must be 3s or more');
  if ((checkTimeoutMs ?? 5_000) >= (checkIntervalMs ?? 10_000))
    flags.problems.push(
      '--gateway-discovery-readiness-check-timeout must be less than the interval',
    );
  if (service === undefined) return undefined;
  if (flags.has('kong-admin-url'))
    flags.problems.push('--kong-admin-svc and --kong-admin-url cannot be used together');
  const portNames = flags.has('kong-admin-svc-port-names')
    ? flags.list('kong-admin-svc-port-names')
    : ['admin-tls', 'kong-admin-tls'];
  return withoutUndefined({
    service,
    portNames,
    checkIntervalMs,
    checkTimeoutMs,
  }) as FlagOptions['discovery'];
}

function electionOptions(
  flags: FlagReader,
  identity: string,
  ownNamespace: string | undefined,
  otherwise: string,
): FlagOptions['leaderElection'] {
  const election = flags.choice('force-leader-election', ['enabled', 'disabled']);
  // In a cluster the Pod's namespace is known, and several replicas are the rule.
  const namespace = flags.text('election-namespace') ?? ownNamespace;
  if (election === 'disabled') return false;
  return {
    namespace: namespace ?? otherwise,
    name: flags.text('election-id') ?? '5b374a9e.konghq.com',
    identity,
    ...electionTiming(flags, usualTiming(flags)),
    isNeededOnly: election !== 'enabled' && namespace === undefined,
  };
}

/** The webhook, with a certificate of its own making, from its flags or from files. */
function admissionOptions(flags: FlagReader, namespace: string): FlagOptions['admission'] {
  const listen = flags.address('admission-webhook-listen');
  const secret = flags.text('admission-webhook-secret');
  const cert = flags.text('admission-webhook-cert') ?? '';
  const key = flags.text('admission-webhook-key') ?? '';
  const isInline = cert !== '' && key !== '';
  const files = {
    certFile: flags.text('admission-webhook-cert-file') ?? '/admission-webhook/tls.crt',
    keyFile: flags.text('admission-webhook-key-file') ?? '/admission-webhook/tls.key',
  };
  const made = {
    namespace,
    service: flags.text('admission-webhook-service') ?? 'waygate-webhook',
    configuration: flags.text('admission-webhook-configuration') ?? 'waygate',
  };
  if (listen === undefined) return undefined;
  if (secret !== undefined) return { ...listen, certificate: { ...made, secret } };
  return { ...listen, certificate: isInline ? { cert, key } : files };
}

/**
 * Kong Ingress Controller's times, which nothing changes there. Who gives one of Flux' flags for them
 * has Flux' times in mind for the others.
 */
function usualTiming(flags: FlagReader): ElectionTiming {
  const names = ['lease-duration', 'renew-deadline', 'retry-period'];
  return names.some((name) => flags.has(`leader-election-${name}`))
    ? { leaseDurationMs: 35_000, renewDeadlineMs: 30_000, retryPeriodMs: 5_000 }
    : { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
}

/** The Pod that we run in, by the variables that the downward API is asked to set. */
function podOf({ POD_NAME: name, POD_NAMESPACE: namespace }: FlagValues) {
  return name && namespace ? { name, namespace } : undefined;
}

function withoutUndefined<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
