import { BlockList, isIP } from 'node:net';
import { TextError } from '../error.ts';

/** Variables of the program's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

/**
 * The proxy that the environment names for a server, by the variables that most programs know:
 * `HTTPS_PROXY`, `HTTP_PROXY` and, for what goes through none, `NO_PROXY`. This machine is never asked
 * through one.
 *
 * ```ts
 * const environment = { HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: '.internal' };
 * environmentProxy(new URL('https://a.example'), environment)?.host; // 'proxy.example:3128'
 * environmentProxy(new URL('https://b.internal'), environment); // undefined
 * ```
 *
 * @throws TextError `WG_TEXT_PROXY` when what it names can be none
 */
export function environmentProxy(server: URL, environment: Environment): URL | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const told = variable(environment, name);
  if (told === undefined) return undefined;
  if (matchesNoProxy(server, variable(environment, 'NO_PROXY') ?? '')) return undefined;
  return parseProxy(told);
}

/**
 * The address of a proxy; without a scheme, one that speaks HTTP.
 *
 * ```ts
 * parseProxy('proxy.example:3128').href; // 'http://proxy.example:3128/'
 * ```
 */
export function parseProxy(address: string): URL {
  let proxy: URL;
  try {
    proxy = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  } catch {
    // What was given may hold a password: neither it nor the parser's own words are shown.
    throw new TextError('WG_TEXT_PROXY', 'the proxy has no usable address');
  }
  if (schemes.has(proxy.protocol)) return proxy;
  const message = `a proxy with ${proxy.protocol}// is not supported; use http, https or socks5`;
  throw new TextError('WG_TEXT_PROXY', message);
}

/**
 * The same variables, by the names that curl takes them under.
 *
 * ```ts
 * proxyVariables({ HTTPS_PROXY: 'http://proxy' }); // { https_proxy: 'http://proxy' }
 * ```
 */
export function proxyVariables(environment: Environment): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    const value = variable(environment, name);
    if (value !== undefined) variables[name.toLowerCase()] = value;
  }
  return variables;
}

/** As Go reads them: upper case first, and an empty one is none. */
function variable(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toLowerCase()] || undefined;
}

/**
 * Whether NO_PROXY names the server: `*`, addresses, CIDR blocks, names with their subdomains,
 * `.example.com` for subdomains only, each with an optional port. Loopback never goes by a proxy.
 */
export function matchesNoProxy(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const isLoopback = host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  if (isLoopback || /(?:^|\.)localhost$/.test(host)) return true;
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
