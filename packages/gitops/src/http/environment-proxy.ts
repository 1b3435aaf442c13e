import { BlockList, isIP } from 'node:net';

/** Variables of the program's environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a URL, by the variables that most programs know:
 * `HTTPS_PROXY`, `HTTP_PROXY` and, for what goes through none, `NO_PROXY`. This machine is never
 * asked through one.
 */
export function environmentProxy(url: URL, environment: Environment): URL | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = variable(environment, name);
  if (address === undefined || isExempt(url, variable(environment, 'NO_PROXY') ?? '')) {
    return undefined;
  }
  try {
    const proxy = new URL(address.includes('://') ? address : `http://${address}`);
    return proxy.protocol === 'http:' || proxy.protocol === 'https:' ? proxy : undefined;
  } catch {
    return undefined;
  }
}

/** The same variables, by the names that curl takes them under. */
export function proxyVariables(environment: Environment): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    const value = variable(environment, name);
    if (value !== undefined) variables[name.toLowerCase()] = value;
  }
  return variables;
}

function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name] || environment[name.toLowerCase()];
  return value === '' ? undefined : value;
}

function isExempt(url: URL, exemptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)) return true;
  return exemptions
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .some((one) => one !== '' && isCovered(one, host, port));
}

function isCovered(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return isWithin(rule, host);
  const withPort = /^(.+):(\d+)$/.exec(rule);
  if (withPort !== null && isIP(rule) === 0) {
    return withPort[2] === port && isCovered(withPort[1] ?? '', host, port);
  }
  const name = rule.replace(/^\*?\./, '');
  if (isIP(name) !== 0) return name === host;
  // With a dot before it, a name stands for those below it alone.
  return (name === host && !rule.startsWith('.')) || host.endsWith(`.${name}`);
}

function isWithin(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const version = isIP(host);
  if (version === 0 || isIP(network) !== version || !/^\d{1,3}$/.test(bits)) return false;
  try {
    const list = new BlockList();
    const family = version === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(network, Number(bits), family);
    return list.check(host, family);
  } catch {
    return false;
  }
}

function isLoopbackAddress(host: string): boolean {
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
