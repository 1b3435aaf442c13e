import { withSortedKeys } from '@waygate/text';
import { copyState, isStateObject, type StateObject } from '../rewrite/state-document.ts';
import type { EntityMaker } from './entity-maker.ts';
import { refuse } from './openapi-document.ts';

/** Where a server of a document is. */
interface ServerAddress {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

export interface MadeService {
  readonly service: StateObject;
  readonly upstream?: StateObject;
}

/** Services with the same key are the same but for their names. */
export function serviceKey(
  servers: readonly StateObject[],
  serviceDefaults: StateObject | undefined,
  upstreamDefaults: StateObject | undefined,
): string {
  const urls = addressesOf(servers, 'https').map(
    ({ protocol, hostname, port, path }) => `${protocol}://${hostname}:${port}${path}`,
  );
  return JSON.stringify(withSortedKeys([urls, serviceDefaults, upstreamDefaults]));
}

/**
 * The service for a list of servers, with an upstream where there are several of them or the
 * document says how an upstream is to be.
 */
export function makeService(
  maker: EntityMaker,
  baseName: string,
  servers: readonly StateObject[],
  serviceDefaults: StateObject | undefined,
  upstreamDefaults: StateObject | undefined,
): MadeService {
  const service: StateObject = serviceDefaults === undefined ? {} : copyState(serviceDefaults);
  maker.identify(service, `${baseName}.service`);
  service.name = baseName;
  service.tags = [...maker.tags];
  service.plugins = [];
  service.routes = [];
  const given = typeof service.protocol === 'string' ? service.protocol : 'https';
  const addresses = addressesOf(servers, given);
  const first = addresses[0] as ServerAddress;
  service.protocol ??= first.protocol;
  service.path ??= first.path;
  service.port ??= first.port === '' ? 443 : portOf(first.port);
  if (service.host !== undefined && service.host !== null) return { service };
  if (addresses.length === 1 && upstreamDefaults === undefined) {
    service.host = first.hostname;
    return { service };
  }
  const upstream = makeUpstream(maker, baseName, servers, upstreamDefaults);
  service.host = upstream.name;
  return { service, upstream };
}

function makeUpstream(
  maker: EntityMaker,
  baseName: string,
  servers: readonly StateObject[],
  defaults: StateObject | undefined,
): StateObject {
  const upstream: StateObject = defaults === undefined ? {} : copyState(defaults);
  const name = `${baseName}.upstream`;
  maker.identify(upstream, name);
  upstream.name = name;
  upstream.tags = [...maker.tags];
  const { targets } = upstream;
  if (targets === undefined || targets === null) {
    upstream.targets = addressesOf(servers, 'https').map(({ hostname, port }) => ({
      target: port === '' ? hostname : `${hostname}:${port}`,
      tags: [...maker.tags],
    }));
    return upstream;
  }
  if (!Array.isArray(targets)) refuse(`expected 'targets' to be an array`);
  for (const target of targets) {
    if (!isStateObject(target)) refuse(`expected entries in 'targets' to be objects`);
    target.tags = [...maker.tags];
  }
  return upstream;
}

/** The addresses of servers; one at least, as a document without servers is served at `/`. */
function addressesOf(servers: readonly StateObject[], defaultProtocol: string): ServerAddress[] {
  if (servers.length === 0) return [addressOf('/', defaultProtocol)];
  return servers.map((server) => {
    let url = String(server.url ?? '');
    const variables = isStateObject(server.variables) ? server.variables : {};
    for (const [name, variable] of Object.entries(variables)) {
      const value = isStateObject(variable) ? variable.default : undefined;
      url = url.replaceAll(`{${name}}`, String(value ?? ''));
    }
    return addressOf(url, defaultProtocol);
  });
}

function addressOf(url: string, defaultProtocol: string): ServerAddress {
  const match = url.startsWith('/')
    ? ['', '', '', url]
    : /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?]*)([^?]*)/.exec(url);
  if (match === null) refuse(`failed to parse uri '${url}'; invalid URI for request`);
  const [, scheme = '', authority = '', rawPath = ''] = match;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const { name = '', port = '' } =
    /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<port>\d*))?$/.exec(host)?.groups ?? {};
  if (host !== '' && name === '') refuse(`failed to parse uri '${url}'; invalid host`);
  const implied = port === '80' ? 'http' : port === '443' ? 'https' : defaultProtocol;
  const protocol = scheme === '' ? implied : scheme.toLowerCase();
  const ports: Readonly<Record<string, string>> = { http: '80', https: '443' };
  return {
    protocol,
    hostname: name === '' ? 'localhost' : name,
    port: port === '' ? (ports[protocol] ?? '') : port,
    path: rawPath === '' ? '/' : decoded(rawPath.split('?')[0] as string, url),
  };
}

function decoded(path: string, url: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return refuse(`failed to parse uri '${url}'; invalid URL escape`);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (port > 65_535) refuse(`the port ${text} of a server is out of range`);
  return port;
}
