import type { ConfigMap } from '../../objects/secret.ts';
import type { Service } from '../../objects/service.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { PluginEntity, RouteEntity, ServiceEntity } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Problem, ProblemList } from '../problem.ts';
import { withStreamExpression } from '../stream-expression.ts';
import { tagsOf } from '../tags.ts';
import { backendTargets } from '../targets.ts';
import type { ResolvedNginxOptions } from './options.ts';
import { type NginxSettings, readSettings } from './settings.ts';

/** A port whose streams go to a Service, as a ConfigMap of TCP or UDP services says. */
export interface NginxStream {
  /** Of its Kong service. */
  readonly name: string;
  readonly kind: 'tcp' | 'udp';
  readonly port: number;
  readonly backend: { readonly namespace: string; readonly service: string; readonly port: string };
  readonly takesProxyHeader: boolean;
  readonly sendsProxyHeader: boolean;
  readonly source: ConfigMap;
}

/** Ports of ingress-nginx itself: for requests, health, metrics and what its parts say to each other. */
const reserved: ReadonlySet<number> = new Set([80, 442, 443, 8181, 10245, 10246, 10247, 10254]);

/** The streams of both ConfigMaps, by port; what cannot be read as one is left out, and told. */
export function readStreams(
  reader: ObjectReader,
  { tcpServices, udpServices }: Pick<ResolvedNginxOptions, 'tcpServices' | 'udpServices'>,
): { readonly streams: readonly NginxStream[]; readonly problems: readonly Problem[] } {
  const problems = new ProblemList();
  const streams: NginxStream[] = [];
  for (const [kind, key] of [
    ['tcp', tcpServices],
    ['udp', udpServices],
  ] as const) {
    const [namespace = '', name = ''] = (key ?? '').split('/');
    const source = name === '' ? undefined : reader.get<ConfigMap>('ConfigMap', namespace, name);
    if (source === undefined) continue;
    for (const [port, value] of Object.entries(source.data ?? {})) {
      const read = readStream(kind, port, String(value), source);
      if (typeof read === 'string') problems.addField(read, `data[${port}]`, source);
      else streams.push(read);
    }
  }
  streams.sort((one, two) => one.port - two.port || (one.kind < two.kind ? -1 : 1));
  return { streams, problems: problems.items };
}

function readStream(
  kind: NginxStream['kind'],
  portText: string,
  value: string,
  source: ConfigMap,
): NginxStream | string {
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port < 1 || port > 65_535)
    return `${JSON.stringify(portText)} is not a port`;
  if (reserved.has(port)) return `port ${port} is one of the controller’s own`;
  const [place = '', backendPort, decode = '', encode = '', ...rest] = value.split(':');
  const [, namespace, service] = /^([a-z0-9.-]+)\/([a-z0-9.-]+)$/.exec(place) ?? [];
  const isWhole = backendPort !== undefined && /^[A-Za-z0-9-]+$/.test(backendPort);
  if (namespace === undefined || service === undefined || !isWhole || rest.length > 0)
    return `${JSON.stringify(value)} is not namespace/name:port[:PROXY[:PROXY]]`;
  const isProxy = (text: string) => kind === 'tcp' && text.toUpperCase() === 'PROXY';
  return {
    name: `nginx.${kind}.${port}`,
    kind,
    port,
    backend: { namespace, service, port: backendPort },
    takesProxyHeader: isProxy(decode),
    sendsProxyHeader: isProxy(encode),
    source,
  };
}

/** Makes the Kong service of a stream; nothing where the Service has no endpoints, as in the original. */
export function buildStream(
  stream: NginxStream,
  reader: ObjectReader,
  options: ResolvedOptions,
  nginx: ResolvedNginxOptions,
): ServiceResult[] {
  const { kind, name, port, source } = stream;
  const targets = targetsOf(stream, reader, options);
  const problems = new ProblemList();
  const result = { pluginUses: [], clientCertificates: [], routeClaims: [], incomplete: [] };
  const leave = (message: string): ServiceResult[] => {
    problems.addField(message, `data[${port}]`, source);
    const none = { service: undefined, upstream: undefined, translated: [], leftOut: [] };
    return [{ ...result, ...none, problems: problems.items }];
  };
  const { namespace, service, port: wanted } = stream.backend;
  if (targets.length === 0)
    return leave(`port ${port} is closed: ${namespace}/${service}:${wanted} has no endpoints`);
  const plugins = proxyProtocolPlugins(stream);
  if (plugins.length > 0 && nginx.availablePlugins?.has('proxy-protocol') === false)
    return leave(`port ${port} is closed: the gateway has no plugin proxy-protocol`);
  const tags = tagsOf(source);
  const route: RouteEntity = {
    name,
    protocols: [kind],
    destinations: [{ port }],
    tags,
    ...(plugins.length > 0 && { plugins: plugins.map((plugin) => ({ ...plugin, tags })) }),
  };
  const entity: ServiceEntity = {
    name,
    host: `${name}.svc`,
    port: 80,
    protocol: kind,
    ...timesOf(readSettings(reader, nginx.configMap)),
    tags,
    routes: [options.isExpressions ? withStreamExpression(route) : route],
  };
  const object = reader.get<Service>('Service', namespace, service);
  const upstream = { name: `${name}.svc`, tags: object ? tagsOf(object) : tags, targets };
  return [
    { ...result, service: entity, upstream, problems: [], translated: [source], leftOut: [] },
  ];
}

/** Whether the port is to be open. */
export function hasEndpoints(
  stream: NginxStream,
  reader: ObjectReader,
  options: ResolvedOptions,
): boolean {
  return targetsOf(stream, reader, options).length > 0;
}

function targetsOf(
  { kind, backend: { namespace, service: name, port: wanted } }: NginxStream,
  reader: ObjectReader,
  options: ResolvedOptions,
) {
  const service = reader.get<Service>('Service', namespace, name);
  const port = service?.spec?.ports?.find(
    (one) =>
      (one.protocol ?? 'TCP').toLowerCase() === kind &&
      (/^\d+$/.test(wanted) ? String(one.port) === wanted : one.name === wanted),
  );
  if (service === undefined || port === undefined) return [];
  return backendTargets(service, port, undefined, reader, options);
}

function proxyProtocolPlugins({ takesProxyHeader, sendsProxyHeader }: NginxStream): PluginEntity[] {
  if (!takesProxyHeader && !sendsProxyHeader) return [];
  const config = { accept: takesProxyHeader, send: sendsProxyHeader ? 'v1' : 'none' };
  return [{ name: 'proxy-protocol', protocols: ['tcp'], config }];
}

/** How long a stream may be silent, and how many targets are tried. */
function timesOf(
  settings: NginxSettings,
): Pick<ServiceEntity, 'read_timeout' | 'write_timeout' | 'retries'> {
  const [, digits = '600', unit = 's'] =
    /^(\d{1,9})(ms|s|m|h|d)?$/.exec(settings.text('proxy-stream-timeout')) ?? [];
  const factors: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };
  const ms = Math.min(Math.max(Number(digits) * (factors[unit] ?? 1e3), 1), 2 ** 31 - 2);
  const tries = settings.int('proxy-stream-next-upstream-tries');
  const isRetried = settings.bool('proxy-stream-next-upstream');
  // Without a limit every target is tried: Kong's own default is a limit that is as good.
  const retries = !isRetried ? 0 : tries === 0 ? 5 : Math.min(Math.max(tries - 1, 0), 32_767);
  return { read_timeout: ms, write_timeout: ms, retries };
}
