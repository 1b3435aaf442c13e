import {
  anyHost,
  type NginxBackend,
  type NginxPathType,
  type ParsedIngress,
} from './parsed-ingress.ts';

/** A path of a server, and the Ingress that has it. */
export interface NginxLocation {
  readonly path: string;
  readonly type: NginxPathType;
  /** Undefined: the default backend of all. */
  readonly backend: NginxBackend | undefined;
  /** Undefined for the `/` of the server that no Ingress made. */
  readonly owner: ParsedIngress | undefined;
  /** Made because nobody asked for `/`; the first Ingress that does takes its place. */
  readonly isImplicit: boolean;
  /** A catch-all default backend takes neither rewrites nor redirects. */
  readonly isPlain: boolean;
  /** The path that is answered for health checks, at the server of unknown hosts. */
  readonly isHealth?: true;
}

/** A path that an older Ingress has already. */
export interface LostPath {
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
}

const healthPath = '/healthz';

/** Merges the Ingresses of a host, which come oldest first. */
export function buildServer(host: string, ingresses: readonly ParsedIngress[]): NginxServer {
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
      const taken = backend ?? owner.defaultBackend;
      byPlace.set(place, { path, type, backend: taken, owner, isImplicit: false, isPlain: false });
    }
  }
  if (!byPlace.has(root)) byPlace.set(root, implicitRoot(undefined));
  const health = placeOf(healthPath, 'Exact');
  if (isAny && !byPlace.has(health))
    byPlace.set(health, { ...rootOf(undefined), path: healthPath, type: 'Exact', isHealth: true });
  const locations = split([...byPlace.values()].sort(compareLocations));
  return {
    host,
    aliases: ingresses.find(({ location }) => location.aliases.length > 0)?.location.aliases ?? [],
    isRegex: locations.some((one) => usesRegex(one) || isRewritten(one)),
    locations,
    ingresses,
    lost,
  };
}

function implicitRoot(owner: ParsedIngress | undefined): NginxLocation {
  return { ...rootOf(owner), backend: owner?.defaultBackend };
}

function rootOf(owner: ParsedIngress | undefined): NginxLocation {
  return {
    path: '/',
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

/** A prefix is two locations, `/path/` and exactly `/path`, unless it is a regular expression. */
function split(locations: readonly NginxLocation[]): NginxLocation[] {
  return locations.flatMap((location) => {
    const isWhole = location.type === 'Exact' || usesRegex(location) || isRewritten(location);
    if (isWhole || location.path.endsWith('/')) return [location];
    return [
      { ...location, path: `${location.path}/` },
      { ...location, type: 'Exact' as const },
    ];
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
