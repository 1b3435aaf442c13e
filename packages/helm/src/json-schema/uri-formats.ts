import { checkIpv6 } from './address-formats.ts';

interface Uri {
  readonly isAbsolute: boolean;
  readonly path: string;
}

/** Reads an address as Go does, which takes nearly everything; a text says what it does not take. */
function parseUri(text: string): Uri | string {
  const say = (problem: string): string => `parse ${JSON.stringify(text)}: ${problem}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return say('net/url: invalid control character in URL');
  const rest = text.split('#')[0]!;
  if (rest.startsWith(':')) return say('missing protocol scheme');
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(rest)?.[0];
  const afterScheme = (scheme === undefined ? rest : rest.slice(scheme.length + 1)).split('?')[0]!;
  if (scheme === undefined && /^[^/]*:/.test(afterScheme)) {
    return say('first path segment in URL cannot contain colon');
  }
  const authority = /^\/\/([^/]*)/.exec(afterScheme)?.[1];
  const path = authority === undefined ? afterScheme : afterScheme.slice(authority.length + 2);
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(path)?.[0];
  if (wrong !== undefined) return say(`invalid URL escape ${JSON.stringify(wrong)}`);
  const problem = authority === undefined ? undefined : authorityProblem(authority);
  if (problem !== undefined) return problem.startsWith('!') ? problem.slice(1) : say(problem);
  return { isAbsolute: scheme !== undefined, path };
}

/** One that starts with `!` is told without the address. */
function authorityProblem(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    const port = host.slice(end + 1);
    if (port !== '' && !/^:\d*$/.test(port))
      return `invalid port ${JSON.stringify(port)} after host`;
    const inner = checkIpv6(host.slice(1, end));
    return inner === undefined ? undefined : `!invalid ipv6 address: ${inner}`;
  }
  const bad = /[ "<>^`{|}\\]/.exec(host)?.[0];
  if (bad !== undefined) return `invalid character ${JSON.stringify(bad)} in host name`;
  const colon = host.indexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) {
    return `invalid port ${JSON.stringify(host.slice(host.lastIndexOf(':')))} after host`;
  }
  return undefined;
}

export function checkUri(text: string): string | undefined {
  const uri = parseUri(text);
  if (typeof uri === 'string') return uri;
  return uri.isAbsolute ? undefined : 'relative url';
}

export function checkUriReference(text: string): string | undefined {
  if (text.includes('\\')) return 'contains \\';
  const uri = parseUri(text);
  return typeof uri === 'string' ? uri : undefined;
}

export function checkUriTemplate(text: string): string | undefined {
  const uri = parseUri(text);
  if (typeof uri === 'string') return uri;
  for (const part of uri.path.split('/')) {
    let isOpen = false;
    for (const brace of part.match(/[{}]/g) ?? []) {
      if ((brace === '{') === isOpen) return 'nested curly braces';
      isOpen = !isOpen;
    }
    if (isOpen) return 'no matching closing brace';
  }
  return undefined;
}
