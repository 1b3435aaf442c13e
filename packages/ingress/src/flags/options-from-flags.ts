import { parseDuration } from '@waygate/schema';
import type { IngressControllerOptions, ListenOptions } from '../controller/controller-options.ts';
import { controllerFlags, environmentNameOf } from './controller-flags.ts';

export type FlagValues = Readonly<Record<string, string | undefined>>;

/** The part of the controller's options that flags decide; clients are the program's to make. */
export type FlagOptions = Omit<IngressControllerOptions, 'client' | 'kongAdmin'>;

/** What flags say, with what is wrong or without effect in them. */
export interface ParsedFlags {
  readonly options: FlagOptions;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const gateNames: Readonly<Record<string, string>> = {
  FillIDs: 'fillIds',
  RewriteURIs: 'rewriteUris',
  KongServiceFacade: 'kongServiceFacade',
  KongCustomEntity: 'kongCustomEntity',
};

const gatesWithoutEffect: ReadonlySet<string> = new Set([
  'GatewayAlpha',
  'FallbackConfiguration',
  'SanitizeKonnectConfigDumps',
]);

/** Reads flags as texts, by name; what is not given is looked up in the environment. */
export function optionsFromFlags(
  given: FlagValues,
  environment: FlagValues,
  identity: string,
): ParsedFlags {
  const problems: string[] = [];
  const warnings: string[] = [];
  const values = new Map<string, string>();
  for (const flag of controllerFlags) {
    const value = given[flag.name] ?? environment[environmentNameOf(flag.name)];
    if (value === undefined) continue;
    if (flag.isUnsupported === true && value !== String(flag.default))
      problems.push(`--${flag.name} is not supported yet`);
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
  const listen = (name: string): ListenOptions | undefined => {
    const value = text(name);
    if (value === undefined || value === 'off' || value === '0') return undefined;
    const colon = value.lastIndexOf(':');
    const port = Number(value.slice(colon + 1));
    if (colon < 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
      problems.push(`--${name} must be host:port`);
      return undefined;
    }
    return { host: value.slice(0, colon) || '0.0.0.0', port };
  };
  const features: Record<string, boolean> = {};
  for (const gate of list('feature-gates')) {
    const [name = '', value = ''] = gate.split('=');
    if (Object.hasOwn(gateNames, name)) features[gateNames[name]!] = value === 'true';
    else if (!gatesWithoutEffect.has(name)) problems.push(`there is no feature gate ${name}`);
  }
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
  // In a cluster the Pod's namespace is known, and several replicas are the rule.
  const electionNamespace = text('election-namespace') ?? (environment.POD_NAMESPACE || undefined);
  const concurrency = number('kong-admin-concurrency');
  const syncSeconds = number('proxy-sync-seconds');
  const syncPeriodMs = duration('sync-period');
  const isReverseSync = isOn('enable-reverse-sync', false);
  return {
    problems,
    warnings,
    options: withoutUndefined({
      translate: withoutUndefined({
        ingressClass: text('ingress-class'),
        clusterDomain: text('cluster-domain'),
        workspace: text('kong-workspace'),
        gatewayControllerName: text('gateway-api-controller-name'),
        isDrainSupportEnabled: isOn('enable-drain-support', false),
        features,
      }),
      watchNamespaces: list('watch-namespace'),
      disabledControllers: controllerFlags
        .filter(({ name }) => name.startsWith('enable-controller-') && !isOn(name, true))
        .map(({ name }) => name.slice('enable-controller-'.length)),
      secretLabelSelector: text('secret-label-selector'),
      filterTags: values.has('kong-admin-filter-tag') ? list('kong-admin-filter-tag') : undefined,
      adminConcurrency: concurrency,
      skipsCaCertificates: isOn('skip-ca-certificates', false),
      maxPauseMs: syncSeconds === undefined ? undefined : syncSeconds * 1000,
      fullComparisonMs: isReverseSync ? 0 : syncPeriodMs,
      updateStatus: isOn('update-status', true),
      publishStatusAddress: list('publish-status-address'),
      publishService: text('publish-service'),
      emitEvents: isOn('emit-kubernetes-events', true),
      leaderElection:
        electionNamespace === undefined
          ? undefined
          : {
              namespace: electionNamespace,
              name: text('election-id') ?? '5b374a9e.konghq.com',
              identity,
            },
      passthrough: isOn('enable-ssl-passthrough', false)
        ? {
            listen: { host: '0.0.0.0', port: 443 },
            kongTls: { host: '127.0.0.1', port: number('ssl-passthrough-proxy-port') ?? 442 },
          }
        : undefined,
      health,
      metrics: listen('metrics-bind-address'),
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

function withoutUndefined<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
