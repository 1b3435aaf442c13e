import { lookup, Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Resolution, ResolvedAddress, ResolveName } from './dns-cache.ts';

/** For answers that have no time to live of their own: those of the system and of the hosts file. */
const defaultTtlMs = 30_000;

interface ResolverSettings {
  /** Servers to ask, as `ip` or `ip:port`; those of the system if none are given. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Resolves names as Kong does: first the hosts file, then SRV for a name that looks like one, then A and
 * AAAA, each with the time to live that the server gave. What no name server knows, the system is asked
 * for: it may have other sources, and appends search domains.
 */
export function systemResolver(settings: ResolverSettings = {}): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (settings.servers !== undefined && settings.servers.length > 0) {
    resolver.setServers([...settings.servers]);
  }
  const hosts = new HostsFile(settings.hostsFile ?? '/etc/hosts');
  const resolveHost = async (name: string): Promise<Resolution> => {
    const local = await hosts.find(name);
    if (local !== undefined) return { addresses: local.map((ip) => ({ ip })), ttlMs: defaultTtlMs };
    return (
      (await resolveAddresses(resolver, name)) ??
      (settings.servers === undefined ? resolveBySystem(name) : fail(name))
    );
  };
  return (name) =>
    name.startsWith('_') ? resolveService(resolver, name, resolveHost) : resolveHost(name);
}

async function resolveAddresses(resolver: Resolver, name: string): Promise<Resolution | undefined> {
  for (const family of ['resolve4', 'resolve6'] as const) {
    try {
      const records = await resolver[family](name, { ttl: true });
      if (records.length > 0) {
        const ttl = Math.min(...records.map((record) => record.ttl));
        return { addresses: records.map(({ address }) => ({ ip: address })), ttlMs: ttl * 1_000 };
      }
    } catch {
      // No record of this type, or no server that answers: the next source is asked.
    }
  }
  return undefined;
}

async function resolveBySystem(name: string): Promise<Resolution> {
  const found = await lookup(name, { all: true });
  const v4 = found.filter((item) => item.family === 4);
  const chosen = v4.length > 0 ? v4 : found;
  return { addresses: chosen.map((item) => ({ ip: item.address })), ttlMs: defaultTtlMs };
}

/** Of SRV records only those of the best priority count; each brings a port and a weight. */
async function resolveService(
  resolver: Resolver,
  name: string,
  resolveHost: ResolveName,
): Promise<Resolution> {
  const records = await resolver.resolveSrv(name);
  const best = Math.min(...records.map((record) => record.priority));
  const chosen = records.filter((record) => record.priority === best);
  const found = await Promise.all(
    chosen.map(async (record) => {
      const weight = Math.max(record.weight, 1);
      const host: Resolution =
        isIP(record.name) === 0
          ? await resolveHost(record.name)
          : { addresses: [{ ip: record.name }], ttlMs: defaultTtlMs };
      const addresses: ResolvedAddress[] = host.addresses.map(({ ip }) => ({
        ip,
        port: record.port,
        weight,
      }));
      return { addresses, ttlMs: host.ttlMs };
    }),
  );
  return {
    addresses: found.flatMap((item) => item.addresses),
    // Node does not tell the time to live of SRV records; that of the hosts that they name stands in.
    ttlMs: Math.min(defaultTtlMs, ...found.map((item) => item.ttlMs)),
  };
}

function fail(name: string): never {
  throw new Error(`${name} cannot be resolved`);
}

/** The names of a hosts file; read again when the file has changed. */
class HostsFile {
  readonly #path: string;
  #names: ReadonlyMap<string, readonly string[]> = new Map();
  #modifiedMs = -1;

  constructor(path: string) {
    this.#path = path;
  }

  async find(name: string): Promise<readonly string[] | undefined> {
    try {
      const { mtimeMs } = await stat(this.#path);
      if (mtimeMs !== this.#modifiedMs) {
        this.#names = parseHosts(await readFile(this.#path, 'utf8'));
        this.#modifiedMs = mtimeMs;
      }
    } catch {
      this.#names = new Map();
    }
    return this.#names.get(name.toLowerCase());
  }
}

/** Names to addresses; IPv4 before IPv6 where a name has both, and then only those. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [ip = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of isIP(ip) === 0 ? [] : names) {
      const known = all.get(name.toLowerCase());
      if (known === undefined) {
        all.set(name.toLowerCase(), [ip]);
      } else if (!known.includes(ip)) {
        known.push(ip);
      }
    }
  }
  for (const [name, ips] of all) {
    const v4 = ips.filter((ip) => isIP(ip) === 4);
    all.set(name, v4.length > 0 ? v4 : ips);
  }
  return all;
}
