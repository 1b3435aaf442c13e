import type { RouterFlavor } from '@waygate/kong';
import type { ProxyListenOptions, StreamListenOptions } from '../gateway-options.ts';
import type { ListenAddress } from '../listener/listening.ts';
import {
  kongDefaults,
  kongEmpty,
  kongFiles,
  kongSwitches,
  nginxDirectives,
} from './kong-defaults.ts';

/** What of a node is not as Kong's defaults have it. */
export interface NodeFacts {
  readonly database: 'off' | 'postgres';
  readonly flavor: RouterFlavor;
  readonly plugins: readonly string[];
  /** Processes that carry requests. */
  readonly workers: number;
  readonly listeners: NodeListeners;
  readonly trustedIps: readonly string[];
  readonly areDebugHeadersAllowed: boolean;
}

/** Where a node listens, with the ports that it got. */
interface NodeListeners {
  readonly proxy: readonly ProxyListenOptions[];
  readonly streams: readonly StreamListenOptions[];
  readonly admin: readonly (ListenAddress & { readonly isTls: boolean })[];
  readonly status: readonly ListenAddress[];
}

/** Kong's default, which nothing of this gateway lies in: clients only compare the names below it. */
const prefix = '/usr/local/kong';

/** Nothing, as Lua writes an empty list. */
const nothing = {};

/**
 * The `configuration` of `GET /`: all keys that Kong has, with what is so in this gateway. Kong Ingress
 * Controller reads `proxy_listeners` and `stream_listeners` there, and refuses listeners that it does not find.
 */
export function nodeConfiguration(facts: NodeFacts): Record<string, unknown> {
  const { proxy, streams, admin, status } = facts.listeners;
  const mapped = proxy.filter(
    ({ port, publicPort }) => publicPort !== undefined && publicPort !== port,
  );
  return {
    ...kongDefaults,
    ...Object.fromEntries(kongSwitches.on.map((key) => [key, true])),
    ...Object.fromEntries(kongSwitches.off.map((key) => [key, false])),
    ...Object.fromEntries(kongEmpty.map((key) => [key, nothing])),
    ...Object.fromEntries(Object.entries(kongFiles).map(([key, file]) => [key, below(file)])),
    ...directives(facts.workers),
    prefix,
    lua_package_path: './?.lua;./?/init.lua;',
    lua_package_cpath: '',
    anonymous_reports: false,
    nginx_user: 'kong kong',
    nginx_worker_processes: String(facts.workers),
    nginx_main_worker_processes: String(facts.workers),
    nginx_http_keepalive_requests: '10000',
    cluster_listeners: [httpListener({ host: '0.0.0.0', port: 8005 })],
    database: facts.database,
    router_flavor: facts.flavor,
    loaded_plugins: Object.fromEntries(facts.plugins.map((name) => [name, true])),
    allow_debug_header: facts.areDebugHeadersAllowed,
    trusted_ips: listed(facts.trustedIps),
    port_maps: listed(mapped.map(({ port, publicPort }) => `${publicPort}:${port}`)),
    host_ports: Object.fromEntries(mapped.map(({ port, publicPort }) => [port, publicPort])),
    proxy_listen: written(proxy.map(proxyText)),
    proxy_listeners: listed(proxy.map(httpListener)),
    proxy_ssl_enabled: proxy.some(({ isTls }) => isTls === true),
    stream_listen: written(streams.map(streamText)),
    stream_listeners: listed(streams.map(streamListener)),
    stream_proxy_ssl_enabled: streams.some(({ kind }) => kind === 'tls'),
    admin_listen: written(admin.map(proxyText)),
    admin_listeners: listed(admin.map(httpListener)),
    admin_ssl_enabled: admin.some(({ isTls }) => isTls),
    admin_ssl_cert: admin.some(({ isTls }) => isTls)
      ? below(['ssl/admin-kong-default.crt', 'ssl/admin-kong-default-ecdsa.crt'])
      : nothing,
    status_listen: written(status.map(proxyText)),
    status_listeners: listed(status.map(httpListener)),
  };
}

function below(file: string | readonly string[]): string | string[] {
  return typeof file === 'string' ? `${prefix}/${file}` : file.map((each) => `${prefix}/${each}`);
}

function directives(workers: number): Record<string, unknown> {
  const main = [
    ['daemon', 'on'],
    ['user', 'kong kong'],
    ['worker_processes', String(workers)],
    ['worker_rlimit_nofile', 'auto'],
  ] as const;
  return Object.fromEntries(
    Object.entries({ ...nginxDirectives, nginx_main_directives: main }).map(([block, pairs]) => [
      block,
      pairs.map(([name, value]) => ({ name, value: value.replace('$prefix', prefix) })),
    ]),
  );
}

function listed<T>(list: readonly T[]): readonly T[] | typeof nothing {
  return list.length === 0 ? nothing : list;
}

/** Kong writes the setting down as it was given, and it cannot be given as nothing. */
function written(list: readonly string[]): readonly string[] {
  return list.length === 0 ? ['off'] : list;
}

type HttpListen = ListenAddress &
  Pick<ProxyListenOptions, 'isTls' | 'isProxyProtocol' | 'isHttp2Only'>;

/** With TLS all ports speak HTTP/2, too. */
function isHttp2({ isTls, isHttp2Only }: HttpListen): boolean {
  return isTls === true || isHttp2Only === true;
}

function address({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function flagged(text: string, flags: Readonly<Record<string, boolean>>): string {
  const set = Object.keys(flags).filter((name) => flags[name] === true);
  return [text, ...set].join(' ');
}

function proxyText(listen: HttpListen): string {
  return flagged(address(listen), {
    http2: isHttp2(listen),
    proxy_protocol: listen.isProxyProtocol === true,
    ssl: listen.isTls === true,
  });
}

function httpListener(listen: HttpListen): object {
  const flags = { proxy_protocol: listen.isProxyProtocol === true, ssl: listen.isTls === true };
  return {
    ...socketFlags(listen),
    deferred: false,
    http2: isHttp2(listen),
    ...flags,
    listener: flagged(address(listen), flags),
  };
}

function streamText(listen: StreamListenOptions): string {
  return flagged(address(listen), {
    proxy_protocol: listen.isProxyProtocol === true,
    ssl: listen.kind === 'tls',
    udp: listen.kind === 'udp',
  });
}

function streamListener(listen: StreamListenOptions): object {
  return {
    ...socketFlags(listen),
    proxy_protocol: listen.isProxyProtocol === true,
    ssl: listen.kind === 'tls',
    udp: listen.kind === 'udp',
    listener: streamText(listen),
  };
}

/** The settings of a socket that nginx has and this gateway does not; the keys are Lua patterns in Kong, too. */
function socketFlags({ host, port }: ListenAddress): object {
  return {
    ip: host.includes(':') ? `[${host}]` : host,
    port,
    bind: false,
    reuseport: false,
    'backlog=%d+': false,
    'ipv6only=on': false,
    'ipv6only=off': false,
    'so_keepalive=on': false,
    'so_keepalive=off': false,
    'so_keepalive=%w*:%w*:%d*': false,
  };
}

/** Puts the ports that a node got in place of those that it asked for. */
export function nodeListeners(
  options: { readonly admin?: { readonly tls?: unknown } | false },
  asked: Pick<NodeListeners, 'proxy' | 'streams'>,
  got:
    | {
        readonly proxy: readonly ListenAddress[];
        readonly streams: readonly ListenAddress[];
        readonly admin: ListenAddress | undefined;
        readonly status: ListenAddress | undefined;
      }
    | undefined,
): NodeListeners {
  const { admin } = options;
  const isTls = typeof admin === 'object' && admin.tls !== undefined;
  return {
    proxy: asked.proxy.map((listen, index) => ({ ...listen, ...got?.proxy[index] })),
    streams: asked.streams.map((listen, index) => ({ ...listen, ...got?.streams[index] })),
    admin: got?.admin === undefined ? [] : [{ ...got.admin, isTls }],
    status: got?.status === undefined ? [] : [got.status],
  };
}
