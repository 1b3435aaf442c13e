import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a server: what the kubeconfig names, else what the environment says. */
export function proxyFor(
  server: URL,
  configured: string | undefined,
  environment: Environment,
): URL | undefined {
  if (configured !== undefined && configured !== '') return parseProxy(configured);
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  const told = server.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  if (told === undefined || told === '') return undefined;
  if (matchesNoProxy(server, read('NO_PROXY') ?? '')) return undefined;
  return parseProxy(told);
}

function parseProxy(text: string): URL {
  return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
}

/**
 * Whether NO_PROXY names the server: `*`, addresses, CIDR blocks, names with their subdomains,
 * `.example.com` for subdomains only, each with an optional port. Loopback never goes by a proxy.
 */
export function matchesNoProxy(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matchesEntry(entry, host, port));
}

function matchesEntry(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inBlock(entry, host);
  const { name, wantedPort } = splitPort(entry);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return name === host;
  if (name.startsWith('*.')) return host.endsWith(name.slice(1));
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function splitPort(entry: string): { name: string; wantedPort?: string } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) {
    return bracketed[2] === undefined
      ? { name: bracketed[1] as string }
      : { name: bracketed[1] as string, wantedPort: bracketed[2] };
  }
  const plain = /^([^:]+):(\d+)$/.exec(entry);
  return plain === null
    ? { name: entry }
    : { name: plain[1] as string, wantedPort: plain[2] as string };
}

function inBlock(entry: string, host: string): boolean {
  const family = isIP(host);
  const [network = '', prefix = ''] = entry.split('/');
  if (family === 0 || isIP(network) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  if (Number(prefix) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(network, Number(prefix), type);
  return block.check(host, type);
}
