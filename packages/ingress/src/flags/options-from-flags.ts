import { parseDuration } from '@waygate/text';
import type { IngressControllerOptions, ListenOptions } from '../controller/controller-options.ts';
import type { GatewayDiscoverySettings } from '../controller/gateway-discovery.ts';
import { controllerFlags, environmentNameOf } from './controller-flags.ts';
import { featuresOfGates } from './feature-gates.ts';

export type FlagValues = Readonly<Record<string, string | undefined>>;

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
}

/** What flags say, with what is wrong or without effect in them. */
export interface ParsedFlags {
  readonly options: FlagOptions;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads flags as texts, by name; what is not given is looked up in the environment. */
export function optionsFromFlags(
  given: FlagValues,
  environment: FlagValues,
  { identity, namespace = 'default' }: Surroundings,
): ParsedFlags {
  const problems: string[] = [];
  const warnings: string[] = [];
  const values = new Map<string, string>();
  for (const flag of controllerFlags) {
    const value = given[flag.name] ?? environment[environmentNameOf(flag.name)];
    if (value === undefined) continue;
    if (flag.withoutEffect !== undefined)
      warnings.push(`--${flag.name} has no effect: ${flag.withoutEffect}`);
    if (flag.replacedBy !== undefined)
      warnings.push(`--${flag.name} is now called --${flag.replacedBy}`);
    values.set(flag.replacedBy ?? flag.name, value);
  }
  const text = (name: string) => values.get(name) || undefined;
  const list = (name: string) =>
    (values.get(name) ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  const isOn = (name: string, otherwise: boolean) => {
    const value = values.get(name)?.toLowerCase();
    if (value === undefined) return otherwise;
    if (value === '' || value === 'true' || value === '1') return true;
    if (value !== 'false' && value !== '0') problems.push(`--${name} must be true or false`);
    return false;
  };
  const number = (name: string) => {
    const value = values.get(name);
    if (value === undefined) return undefined;
    if (Number.isFinite(Number(value)) && value !== '') return Number(value);
    problems.push(`--${name} must be a number`);
    return undefined;
  };
  const duration = (name: string) => {
    const value = text(name);
    if (value === undefined) return undefined;
    try {
      return parseDuration(value);
    } catch {
      problems.push(`--${name} must be a duration, such as 10s`);
      return undefined;
    }
  };
  // The kubelet and Prometheus come from outside of the Pod; elsewhere nobody has to be let in.
  const unsaidHost = environment.KUBERNETES_SERVICE_HOST ? '0.0.0.0' : '127.0.0.1';
  const listen = (name: string): ListenOptions | undefined => {
    const value = text(name) ?? defaultOf(name);
    if (value === 'off' || value === '0') return undefined;
    const colon = value.lastIndexOf(':');
    const port = Number(value.slice(colon + 1));
    if (colon < 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
      problems.push(`--${name} must be host:port`);
      return undefined;
    }
    const anyHost = text(name) === undefined ? unsaidHost : '0.0.0.0';
    return { host: value.slice(0, colon) || anyHost, port };
  };
  const objectKey = (name: string): string | undefined => {
    const value = text(name);
    if (value === undefined || /^[a-z0-9.-]+\/[a-z0-9.-]+$/u.test(value)) return value;
    problems.push(`--${name} must be namespace/name`);
    return undefined;
  };
  const choice = (name: string, choices: readonly string[]): string | undefined => {
    const value = text(name);
    if (value === undefined || choices.includes(value)) return value;
    problems.push(`--${name} must be one of ${choices.join(', ')}`);
    return undefined;
  };
  /** A label alone means that it is "true". */
  const labelSelector = (name: string): string | undefined => {
    const value = text(name);
    return value === undefined || /[=!,() ]/u.test(value) ? value : `${value}=true`;
  };
  const gates = featuresOfGates(list('feature-gates'));
  problems.push(...gates.problems);
  const features: Record<string, boolean> = { ...gates.features };
  if (values.has('combined-services-from-different-httproutes'))
    features.combinedServicesFromDifferentHttpRoutes = isOn(
      'combined-services-from-different-httproutes',
      false,
    );
  const admission = listen('admission-webhook-listen');
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
  if (adminService !== undefined && values.has('kong-admin-url'))
    problems.push('--kong-admin-svc and --kong-admin-url cannot be used together');
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
        features,
      }),
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
          portNames: values.has('kong-admin-svc-port-names')
            ? list('kong-admin-svc-port-names')
            : ['admin-tls', 'kong-admin-tls'],
          checkIntervalMs,
          checkTimeoutMs,
        }),
      pod,
      termDelayMs: duration('term-delay'),
      filterTags: values.has('kong-admin-filter-tag') ? list('kong-admin-filter-tag') : undefined,
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
              isNeededOnly: election !== 'enabled' && electionNamespace === undefined,
            },
      passthrough: isOn('enable-ssl-passthrough', false)
        ? {
            listen: { host: '0.0.0.0', port: 443 },
            kongTls: { host: '127.0.0.1', port: number('ssl-passthrough-proxy-port') ?? 442 },
          }
        : undefined,
      health,
      metrics: metrics && { ...metrics, isRestricted },
      diagnostics,
      admission: admission && {
        ...admission,
        certificate:
          text('admission-webhook-cert') !== undefined &&
          text('admission-webhook-key') !== undefined
            ? { cert: text('admission-webhook-cert')!, key: text('admission-webhook-key')! }
            : {
                certFile: text('admission-webhook-cert-file') ?? '/admission-webhook/tls.crt',
                keyFile: text('admission-webhook-key-file') ?? '/admission-webhook/tls.key',
              },
      },
    }) as FlagOptions,
  };
}

function defaultOf(name: string): string {
  return String(controllerFlags.find((flag) => flag.name === name)?.default ?? '');
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
