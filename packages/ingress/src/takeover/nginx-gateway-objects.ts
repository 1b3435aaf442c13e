import { createHash } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import type { Ingress } from '../objects/ingress.ts';
import { compareText, keyOf } from '../objects/reference.ts';
import type { Service } from '../objects/service.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { PluginEntity } from '../translate/kong-state.ts';
import { NginxModel } from '../translate/nginx/model.ts';
import { type NginxOptions, resolveNginxOptions } from '../translate/nginx/options.ts';
import { anyHost, type NginxBackend, parseIngress } from '../translate/nginx/parsed-ingress.ts';
import { portOf } from '../translate/nginx/upstream.ts';
import { resolveOptions } from '../translate/options.ts';
import { stableJson } from '../translate/stable-json.ts';

/** The objects that stand for one Ingress. */
export interface WrittenIngress {
  readonly namespace: string;
  readonly name: string;
  readonly objects: readonly KubeObject[];
  /** What is not in them, and why. */
  readonly notes: readonly string[];
}

/** Gateway API objects with KongPlugins that stand for the Ingresses of ingress-nginx. */
export interface GatewayObjects {
  readonly gateway: KubeObject;
  readonly ingresses: readonly WrittenIngress[];
}

/** Plugins that name upstreams or carry what is a Secret's: an object of their own cannot stand for them. */
const unwritable: Readonly<Record<string, string>> = {
  'htpasswd-auth': 'passwords stay in Secrets: the path is left out, and stays with the Ingress',
  'client-certificate': 'clients’ certificates: the path is left out, and stays with the Ingress',
  'error-pages': 'error pages of another Service are left out',
  'cookie-affinity': 'affinity by a cookie is left out: use a KongUpstreamPolicy',
  canary: 'a canary by header, cookie or pattern is left out; one by weight is written',
};
/** Without these somebody would get in who should not. */
const guards: ReadonlySet<string> = new Set(['htpasswd-auth', 'client-certificate']);
/** Said by the gateway's own configuration. */
const implied: ReadonlySet<string> = new Set(['nginx-metrics', 'request-termination']);

interface Draft {
  readonly ingress: Ingress;
  readonly objects: Map<string, KubeObject>;
  readonly notes: Set<string>;
}

/**
 * Writes the Ingresses of ingress-nginx as HTTPRoutes and KongPlugins. A path that would lose a guard is not
 * written; whatever else is left out is said.
 *
 * ```ts
 * nginxGatewayObjects([], {}, { gateway: 'waygate-system/public' }).ingresses; // []
 * ```
 */
export function nginxGatewayObjects(
  objects: readonly KubeObject[],
  options: NginxOptions = {},
  { gateway = 'default/nginx' }: { readonly gateway?: string } = {},
): GatewayObjects {
  const nginx = resolveNginxOptions(options);
  const resolved = resolveOptions({ routerFlavor: 'expressions', nginx: options });
  const store = new ObjectStore();
  for (const object of objects) store.put(object);
  for (const service of store.list<Service>('Service')) store.put(someEndpoints(service));
  const model = new NginxModel(resolved, nginx);
  const drafts = new Map<string, Draft>();
  const hosts = new Set<string>();
  for (const ingress of store.list<Ingress>('Ingress')) {
    const { parsed } = parseIngress(ingress, store, nginx);
    if (parsed === undefined) continue;
    for (const host of model.setIngress(keyOf(ingress), parsed)) hosts.add(host);
    drafts.set(parsed.key, { ingress, objects: new Map(), notes: new Set() });
  }
  const [gatewayNamespace = '', gatewayName = ''] = gateway.split('/');
  const parent = { name: gatewayName, namespace: gatewayNamespace };
  for (const host of hosts) {
    model.makeServer(host, store);
    for (const { plan, result } of model.locationsOf(host, store)) {
      const { location } = plan;
      const draft = location.owner && drafts.get(location.owner.key);
      const backend = location.backend;
      if (draft === undefined) continue;
      if (isTwin(plan)) continue;
      const plugins = result.service?.routes?.[0]?.plugins ?? [];
      const kept = pluginObjects(plugins, draft);
      if (kept === undefined) continue;
      if (backend === undefined) {
        if (!location.isImplicit)
          draft.notes.add(`${location.path} leads to the default backend: it is left out`);
        continue;
      }
      const port = portNumber(backend, store);
      if (port === undefined) {
        draft.notes.add(`${location.path}: Service ${backend.service} has no such port`);
        continue;
      }
      const names = plan.names.filter(({ text }) => !text.startsWith('~'));
      if (names.length < plan.names.length) draft.notes.add('aliases that are patterns');
      const refs = backendRefs({ name: backend.service, port }, plugins);
      const route = routeObject(
        plan,
        names.map(({ text }) => text),
        refs,
        kept,
        draft,
        parent,
      );
      draft.objects.set(`HTTPRoute ${route.metadata.name}`, route);
    }
  }
  return {
    gateway: gatewayObject(
      parent,
      [...drafts.values()].map(({ ingress }) => ingress),
    ),
    ingresses: [...drafts.values()]
      .map(({ ingress, objects: made, notes }) => ({
        namespace: ingress.metadata.namespace ?? '',
        name: ingress.metadata.name ?? '',
        objects: [...made.values()],
        notes: [...notes],
      }))
      .sort((left, right) =>
        compareText(`${left.namespace}/${left.name}`, `${right.namespace}/${right.name}`),
      ),
  };
}

/** What is written does not depend on which Pods happen to run: every Service counts as one that has some. */
function someEndpoints({ metadata, spec }: Service): KubeObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${metadata.name}-waygate-takeover`,
      namespace: metadata.namespace,
      labels: { 'kubernetes.io/service-name': metadata.name },
    },
    addressType: 'IPv4',
    ports: (spec?.ports ?? []).map(({ name, port, protocol }) => ({ name, port, protocol })),
    endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
  } as KubeObject;
}

type Plan = ReturnType<NginxModel['locationsOf']>[number]['plan'];

/** `/path` of a prefix is one match with `/path/` in the Gateway API; redirects to the slash are nginx' own. */
function isTwin({ location, server, addsSlash, redirectsToHost }: Plan): boolean {
  if (addsSlash || redirectsToHost !== undefined) return true;
  const { type, path, rulePath, owner } = location;
  return (
    type === 'Exact' &&
    path === rulePath &&
    server.locations.some((one) => one.owner === owner && one.path === `${path}/`)
  );
}

/** The names of the KongPlugins of a path; undefined when one of its guards cannot be written. */
function pluginObjects(plugins: readonly PluginEntity[], draft: Draft): string[] | undefined {
  const { namespace = '', name: ingress = '' } = draft.ingress.metadata;
  const names: string[] = [];
  for (const { name, config = {} } of plugins) {
    if (implied.has(name)) continue;
    const reason = unwritable[name];
    if (reason !== undefined) {
      if (name === 'canary' && isByWeight(config)) continue;
      draft.notes.add(`${name}: ${reason}`);
      if (guards.has(name)) return undefined;
      continue;
    }
    const digest = createHash('sha256').update(stableJson(config)).digest('hex').slice(0, 8);
    const own = `${ingress}-${name}-${digest}`.toLowerCase();
    names.push(own);
    draft.objects.set(`KongPlugin ${own}`, {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongPlugin',
      metadata: { name: own, namespace },
      plugin: name,
      config,
    } as KubeObject);
  }
  return names;
}

/** With the share of a canary that goes by weight alone. */
function backendRefs(main: object, plugins: readonly PluginEntity[]): object[] {
  const { config } = plugins.find(({ name }) => name === 'canary') ?? {};
  if (config === undefined || !isByWeight(config)) return [main];
  const total = Math.max(Number(config.weight_total ?? 100), 1);
  const weight = Math.min(Number(config.weight), total);
  const [, , name = '', port = ''] = String(config.upstream).split('.');
  return [
    { ...main, weight: total - weight },
    { name, port: Number(port), weight },
  ];
}

function isByWeight(config: Readonly<Record<string, unknown>>): boolean {
  const isPlain = ['header', 'cookie'].every((key) => config[key] === undefined);
  return isPlain && Number(config.weight ?? 0) > 0 && /\.\d+$/.test(String(config.upstream));
}

function routeObject(
  { name, location, server }: Plan,
  hosts: readonly string[],
  backendRefs: readonly object[],
  plugins: readonly string[],
  { ingress }: Draft,
  parent: { readonly name: string; readonly namespace: string },
): KubeObject {
  const path = server.isRegex
    ? { type: 'RegularExpression', value: `(?i)${location.path}` }
    : location.type === 'Exact'
      ? { type: 'Exact', value: location.path }
      : { type: 'PathPrefix', value: location.rulePath };
  const hostnames = hosts.filter((host) => host !== anyHost);
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name: `${ingress.metadata.name}-${digest}`,
      namespace: ingress.metadata.namespace,
      annotations: {
        'konghq.com/strip-path': 'false',
        'konghq.com/preserve-host': 'true',
        ...(plugins.length > 0 && { 'konghq.com/plugins': plugins.join(',') }),
      },
    },
    spec: {
      parentRefs: [parent],
      ...(hostnames.length > 0 && { hostnames }),
      rules: [{ matches: [{ path }], backendRefs }],
    },
  } as KubeObject;
}

function portNumber(backend: NginxBackend, store: ObjectStore): number | undefined {
  if (/^\d+$/.test(backend.port)) return Number(backend.port);
  const service = store.get<Service>('Service', backend.namespace, backend.service);
  return service && portOf(service, backend.port)?.port;
}

/** A Gateway with a listener for plain HTTP, and one for each Secret with a certificate. */
function gatewayObject(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  ingresses: readonly Ingress[],
): KubeObject {
  const secrets = new Map<string, { namespace: string; secretName: string; hosts: Set<string> }>();
  for (const { metadata, spec } of ingresses)
    for (const { hosts, secretName } of spec?.tls ?? []) {
      if (!secretName) continue;
      const key = `${metadata.namespace}/${secretName}`;
      const one = secrets.get(key) ?? {
        namespace: metadata.namespace ?? '',
        secretName,
        hosts: new Set<string>(),
      };
      for (const host of hosts ?? []) one.hosts.add(host.toLowerCase());
      secrets.set(key, one);
    }
  const secure = [...secrets.values()].flatMap(({ namespace: home, secretName, hosts }) =>
    [...hosts].sort().map((hostname) => ({
      name: `https-${createHash('sha256').update(`${home}/${secretName}/${hostname}`).digest('hex').slice(0, 8)}`,
      hostname,
      port: 443,
      protocol: 'HTTPS',
      tls: { mode: 'Terminate', certificateRefs: [{ name: secretName, namespace: home }] },
      allowedRoutes: { namespaces: { from: 'All' } },
    })),
  );
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: {
      gatewayClassName: 'kong',
      listeners: [
        {
          name: 'http',
          port: 80,
          protocol: 'HTTP',
          allowedRoutes: { namespaces: { from: 'All' } },
        },
        ...secure,
      ],
    },
  } as KubeObject;
}
