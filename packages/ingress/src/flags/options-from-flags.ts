import { type ElectionTiming, electionTiming, FlagReader, type FlagValues } from '@waygate/runtime';
import type { IngressControllerOptions, ListenOptions } from '../controller/controller-options.ts';
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
  const { problems, warnings } = flags;
  const text = (name: string) => flags.text(name);
  const list = (name: string) => flags.list(name);
  const isOn = (name: string, otherwise: boolean) => flags.isOn(name, otherwise);
  const number = (name: string) => flags.number(name);
  const duration = (name: string) => flags.duration(name);
  const listen = (name: string): ListenOptions | undefined => flags.address(name);
  const objectKey = (name: string) => flags.objectKey(name);
  const choice = (name: string, choices: readonly string[]) => flags.choice(name, choices);
  /** A label alone means that it is "true". */
  const labelSelector = (name: string): string | undefined => {
    const value = text(name);
    return value === undefined || /[=!,() ]/u.test(value) ? value : `${value}=true`;
  };
  const gates = featuresOfGates(list('feature-gates'), otherGates);
  problems.push(...gates.problems);
  warnings.push(...gates.warnings);
  const features: Record<string, boolean> = { ...gates.features };
  if (flags.has('combined-services-from-different-httproutes'))
    features.combinedServicesFromDifferentHttpRoutes = isOn(
      'combined-services-from-different-httproutes',
      false,
    );
  const admission = listen('admission-webhook-listen');
  const webhookSecret = text('admission-webhook-secret');
  const inline = {
    cert: text('admission-webhook-cert') ?? '',
    key: text('admission-webhook-key') ?? '',
  };
  const health = listen('health-probe-bind-address');
  const diagnostics = isOn('dump-config', false)
    ? { host: '127.0.0.1', port: number('diagnostic-server-port') ?? 10_256 }
    : undefined;
  const pod = podOf(environment);
  // In a cluster the Pod's namespace is known, and several replicas are the rule.
  const electionNamespace = text('election-namespace') ?? (environment.POD_NAMESPACE || undefined);
  const election = choice('force-leader-election', ['enabled', 'disabled']);
  const isRestricted = choice('metrics-access-filter', ['off', 'rbac']) === 'rbac';
  const metrics = listen('metrics-bind-address');
  const adminService = objectKey('kong-admin-svc');
  const checkIntervalMs = duration('gateway-discovery-readiness-check-interval');
  const checkTimeoutMs = duration('gateway-discovery-readiness-check-timeout');
  if (checkIntervalMs !== undefined && checkIntervalMs < 3_000)
    problems.push('--gateway-discovery-readiness-check-interval must be 3s or more');
  if ((checkTimeoutMs ?? 5_000) >= (checkIntervalMs ?? 10_000))
    problems.push('--gateway-discovery-readiness-check-timeout must be less than the interval');
  if (adminService !== undefined && flags.has('kong-admin-url'))
    problems.push('--kong-admin-svc and --kong-admin-url cannot be used together');
  const certificate =
    webhookSecret !== undefined
      ? {
          namespace: environment.POD_NAMESPACE || namespace,
          secret: webhookSecret,
          service: text('admission-webhook-service') ?? 'waygate-webhook',
          configuration: text('admission-webhook-configuration') ?? 'waygate',
        }
      : inline.cert !== '' && inline.key !== ''
        ? inline
        : {
            certFile: text('admission-webhook-cert-file') ?? '/admission-webhook/tls.crt',
            keyFile: text('admission-webhook-key-file') ?? '/admission-webhook/tls.key',
          };
  const concurrency = number('kong-admin-concurrency');
  const syncSeconds = number('proxy-sync-seconds');
  const syncPeriodMs = duration('sync-period');
  const isReverseSync = isOn('enable-reverse-sync', false);
  return {
    problems,
    warnings,
    options: withoutUndefined({
      translate: withoutUndefined({
        naming: choice('naming', ['modern', 'legacy']),
        ingressClass: text('ingress-class'),
        clusterDomain: text('cluster-domain'),
        workspace: text('kong-workspace'),
        gatewayControllerName: text('gateway-api-controller-name'),
        isDrainSupportEnabled: isOn('enable-drain-support', false),
        isolatesHosts: isOn('isolate-hosts', false),
        nginx: nginxFromFlags(flags, podOf(environment)),
        features,
      }),
      standsAside: !isOn('act-beside-others', false),
      watchNamespaces: list('watch-namespace'),
      disabledControllers: controllerFlags
        .filter(({ name }) => name.startsWith('enable-controller-') && !isOn(name, true))
        .map(({ name }) => name.slice('enable-controller-'.length)),
      secretLabelSelector: labelSelector('secret-label-selector'),
      configMapLabelSelector: labelSelector('configmap-label-selector'),
      gatewayToReconcile: objectKey('gateway-to-reconcile'),
      discovery:
        adminService &&
        withoutUndefined({
          service: adminService,
          portNames: flags.has('kong-admin-svc-port-names')
            ? list('kong-admin-svc-port-names')
            : ['admin-tls', 'kong-admin-tls'],
          checkIntervalMs,
          checkTimeoutMs,
        }),
      pod,
      termDelayMs: duration('term-delay'),
      filterTags: flags.has('kong-admin-filter-tag') ? list('kong-admin-filter-tag') : undefined,
      adminConcurrency: concurrency,
      skipsCaCertificates: isOn('skip-ca-certificates', false),
      maxPauseMs: syncSeconds === undefined ? undefined : syncSeconds * 1000,
      fullComparisonMs: isReverseSync ? 0 : syncPeriodMs,
      updateStatus: isOn('update-status', true),
      publishStatusAddress: list('publish-status-address'),
      publishService: objectKey('publish-service'),
      publishStatusAddressUdp: list('publish-status-address-udp'),
      publishServiceUdp: objectKey('publish-service-udp'),
      updateStatusOnShutdown: isOn('update-status-on-shutdown', false),
      emitEvents: isOn('emit-kubernetes-events', true),
      leaderElection:
        election === 'disabled'
          ? false
          : {
              namespace: electionNamespace ?? namespace,
              name: text('election-id') ?? '5b374a9e.konghq.com',
              identity,
              ...electionTiming(flags, usualTiming(flags)),
              isNeededOnly: election !== 'enabled' && electionNamespace === undefined,
            },
      passthrough: isOn('enable-ssl-passthrough', false)
        ? {
            listen: { host: '::', port: 443 },
            kongTls: { host: '127.0.0.1', port: number('ssl-passthrough-proxy-port') ?? 442 },
          }
        : undefined,
      health,
      metrics: metrics && { ...metrics, isRestricted },
      diagnostics,
      admission: admission && { ...admission, certificate },
    }) as FlagOptions,
  };
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
