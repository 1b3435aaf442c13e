import type { ClientCertificate } from './groups/client-certificate.ts';
import {
  anyHost,
  type NginxBackend,
  type NginxPathType,
  type ParsedIngress,
} from './parsed-ingress.ts';

/** A path of a server, and the Ingress that has it. */
export interface NginxLocation {
  readonly path: string;
  /** The path as the rule has it. */
  readonly rulePath: string;
  readonly type: NginxPathType;
  /** Undefined: the default backend of all. */
  readonly backend: NginxBackend | undefined;
  /** Undefined for the `/` of the server that no Ingress made. */
  readonly owner: ParsedIngress | undefined;
  /** Made because nobody asked for `/`; the first Ingress that does takes its place. */
  readonly isImplicit: boolean;
  /** A catch-all default backend takes neither rewrites nor redirects. */
  readonly isPlain: boolean;
  /** A page of ingress-nginx itself, at the server of unknown hosts: for health checks, and its status. */
  readonly page?: 'health' | 'status';
}

/** A path that an older Ingress has already. */
interface LostPath {
  readonly owner: ParsedIngress;
  readonly winner: ParsedIngress;
  readonly path: string;
}

/** One virtual host, as all Ingresses that name it make it together. */
export interface NginxServer {
  readonly host: string;
  readonly aliases: readonly string[];
  /** Whether every path is a regular expression, because one of them is. */
  readonly isRegex: boolean;
  /** In the order in which nginx has them: longest first. */
  readonly locations: readonly NginxLocation[];
  /** The Ingresses that name the host, oldest first. */
  readonly ingresses: readonly ParsedIngress[];
  readonly lost: readonly LostPath[];
  /** The host with `www.`, or without, whose requests are sent here. */
  readonly wwwHost: string | undefined;
  /** Of the first that asks for them; or what is wrong with anybody's. */
  readonly clientCertificate: ClientCertificate | undefined;
}

const ownPages = [
  ['/healthz', 'health'],
  ['/nginx_status', 'status'],
] as const;

/** Merges the Ingresses of a host, which come oldest first. */
export function buildServer(
  host: string,
  ingresses: readonly ParsedIngress[],
  isServed: (host: string) => boolean,
): NginxServer {
  const byPlace = new Map<string, NginxLocation>();
  const lost: LostPath[] = [];
  const root = placeOf('/', 'Prefix');
  const isAny = host === anyHost;
  for (const owner of ingresses) {
    if (!byPlace.has(root)) byPlace.set(root, implicitRoot(isAny ? undefined : owner));
    if (isAny && owner.isCatchAll && byPlace.get(root)?.isImplicit) {
      const { defaultBackend: backend } = owner;
      byPlace.set(root, { ...rootOf(owner), backend, isImplicit: false, isPlain: true });
    }
    for (const { path, type, backend } of owner.hosts.get(host) ?? []) {
      const place = placeOf(path, type);
      const before = byPlace.get(place);
      if (before !== undefined && !before.isImplicit) {
        if (before.owner !== undefined) lost.push({ owner, winner: before.owner, path });
        continue;
      }
      byPlace.set(place, {
        path,
        rulePath: path,
        type,
        backend,
        owner,
        isImplicit: false,
        isPlain: false,
      });
    }
  }
  if (!byPlace.has(root)) byPlace.set(root, implicitRoot(undefined));
  for (const [path, page] of isAny ? ownPages : []) {
    const place = placeOf(path, 'Exact');
    if (!byPlace.has(place))
      byPlace.set(place, { ...rootOf(undefined), path, type: 'Exact', page });
  }
  const locations = split([...byPlace.values()].sort(compareLocations));
  return {
    host,
    aliases: aliasesOf(ingresses).filter((alias) => !isServed(alias.toLowerCase())),
    isRegex: locations.some((one) => usesRegex(one) || isRewritten(one)),
    locations,
    ingresses,
    lost,
    wwwHost: wwwOf(host, ingresses, isServed),
    clientCertificate: clientCertificateOf(ingresses),
  };
}

/** The first that has any decides. */
function aliasesOf(ingresses: readonly ParsedIngress[]): readonly string[] {
  return ingresses.find(({ location }) => location.aliases.length > 0)?.location.aliases ?? [];
}

/** The host with `www.` before it, or without. */
function wwwCounterpart(host: string): string {
  return host.startsWith('www.') ? host.slice('www.'.length) : `www.${host}`;
}

function wwwOf(
  host: string,
  ingresses: readonly ParsedIngress[],
  isServed: (host: string) => boolean,
): string | undefined {
  if (host === anyHost || host.startsWith('*')) return undefined;
  const other = wwwCounterpart(host);
  const isAsked = ingresses.some(({ location }) => location.paths.redirectsFromToWww);
  return isAsked && !isServed(other) ? other : undefined;
}

function clientCertificateOf(ingresses: readonly ParsedIngress[]): ClientCertificate | undefined {
  const all = ingresses.flatMap(({ location }) => location.clientCertificate ?? []);
  return all.find(({ isBroken }) => isBroken) ?? all[0];
}

function implicitRoot(owner: ParsedIngress | undefined): NginxLocation {
  return { ...rootOf(owner), backend: owner?.defaultBackend };
}

function rootOf(owner: ParsedIngress | undefined): NginxLocation {
  return {
    path: '/',
    rulePath: '/',
    type: 'Prefix',
    backend: undefined,
    owner,
    isImplicit: true,
    isPlain: owner === undefined,
  };
}

function placeOf(path: string, type: NginxPathType): string {
  return `${type} ${path}`;
}

/** By length, longest first; of one length those that sort last. */
function compareLocations(left: NginxLocation, right: NginxLocation): number {
  if (left.path.length !== right.path.length) return right.path.length - left.path.length;
  if (left.path === right.path) return 0;
  return left.path < right.path ? 1 : -1;
}

/**
 * A prefix is two locations, `/path/` and exactly `/path`, unless it is a regular expression, or
 * somebody has one of the two already.
 */
function split(locations: readonly NginxLocation[]): NginxLocation[] {
  const places = new Set(locations.map(({ path, type }) => placeOf(path, type)));
  return locations.flatMap((location) => {
    const { path, type } = location;
    const isWhole = type === 'Exact' || usesRegex(location) || isRewritten(location);
    if (isWhole || path.endsWith('/')) return [location];
    return [
      { ...location, path: `${path}/` },
      { ...location, type: 'Exact' as const },
    ].filter((half) => !places.has(placeOf(half.path, half.type)));
  });
}

function usesRegex({ owner, isPlain }: NginxLocation): boolean {
  return !isPlain && owner?.location.paths.usesRegex === true;
}

/** Whether the location's requests get another path. */
export function isRewritten({ owner, isPlain, path }: NginxLocation): boolean {
  const target = owner?.location.paths.rewriteTarget;
  return !isPlain && target !== undefined && target !== path;
}
