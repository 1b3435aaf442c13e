import { decodeBytes, encodeBytes } from '../go/bytes.ts';
import { GoError } from '../go/function.ts';
import { quoteString } from '../go/quote.ts';

/** A URL as Go's net/url takes it apart. */
interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  /** As it is to be written, with its escapes; undefined where there is none. */
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

type Mode = 'path' | 'host' | 'userPassword' | 'fragment';

/** @throws GoError in the words of net/url */
export function parseGoUrl(text: string): GoUrl {
  const hash = text.indexOf('#');
  const before = hash < 0 ? text : text.slice(0, hash);
  try {
    const url = parseBefore(before);
    return { ...url, fragment: hash < 0 ? '' : unescaped(text.slice(hash + 1), 'fragment') };
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new GoError(`parse ${quoteString(before)}: ${error.message}`);
  }
}

function parseBefore(text: string): Omit<GoUrl, 'fragment'> {
  if (/[\0-\x20\x7f]/.test(text.replaceAll(' ', 'x'))) {
    throw new GoError('net/url: invalid control character in URL');
  }
  const empty = { scheme: '', opaque: '', userinfo: undefined, host: '', path: '', query: '' };
  if (text === '*') return { ...empty, path: '*' };
  const { scheme, rest: afterScheme } = schemeOf(text);
  const isForced = afterScheme.endsWith('?') && afterScheme.indexOf('?') === afterScheme.length - 1;
  const mark = isForced ? afterScheme.length - 1 : afterScheme.indexOf('?');
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const query = mark < 0 ? '' : afterScheme.slice(mark + 1);
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...empty, scheme, opaque: rest, query };
    if (rest.split('/')[0]!.includes(':')) {
      throw new GoError('first path segment in URL cannot contain colon');
    }
  }
  let userinfo: string | undefined;
  let host = '';
  if (rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))) {
    const slash = rest.indexOf('/', 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? '' : rest.slice(slash);
    ({ userinfo, host } = authorityOf(authority));
  }
  return { ...empty, scheme, userinfo, host, path: unescaped(rest, 'path'), query };
}

function schemeOf(text: string): { scheme: string; rest: string } {
  if (text.startsWith(':')) throw new GoError('missing protocol scheme');
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (match === null) return { scheme: '', rest: text };
  return { scheme: match[1]!.toLowerCase(), rest: text.slice(match[0].length) };
}

function authorityOf(authority: string): { userinfo: string | undefined; host: string } {
  const at = authority.lastIndexOf('@');
  const host = hostOf(authority.slice(at + 1));
  if (at < 0) return { userinfo: undefined, host };
  const given = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(given))
    throw new GoError('net/url: invalid userinfo');
  const colon = given.indexOf(':');
  const parts = colon < 0 ? [given] : [given.slice(0, colon), given.slice(colon + 1)];
  return {
    userinfo: parts
      .map((part) => escaped(unescaped(part, 'userPassword'), 'userPassword'))
      .join(':'),
    host,
  };
}

function hostOf(host: string): string {
  const isBracketed = host.startsWith('[');
  const close = host.lastIndexOf(']');
  if (isBracketed && close < 0) throw new GoError("missing ']' in host");
  const colon = host.lastIndexOf(':');
  const port = isBracketed ? host.slice(close + 1) : colon < 0 ? '' : host.slice(colon);
  if (!/^(:\d*)?$/.test(port)) throw new GoError(`invalid port ${quoteString(port)} after host`);
  return unescaped(host, 'host');
}

/** The host without its port and brackets. */
export function hostnameOf(host: string): string {
  const match = /^(.*?)(?::\d*)?$/s.exec(host);
  const name = match === null ? host : match[1]!;
  const bracketed = /^\[(.*)\]/s.exec(name);
  return bracketed === null ? name.replace(/:[^:]*$/, '') : bracketed[1]!;
}

function unescaped(text: string, mode: Mode): string {
  const bytes = encodeBytes(text).toString('latin1');
  for (const match of bytes.matchAll(/%(.{0,2})/gs)) {
    if (!/^[\da-fA-F]{2}$/.test(match[1]!)) {
      throw new GoError(`invalid URL escape ${quoteString(match[0])}`);
    }
    // In a host only what is beyond ASCII may be escaped.
    if (mode === 'host' && match[1]! < '8' && match[0] !== '%25') {
      throw new GoError(`invalid URL escape ${quoteString(match[0])}`);
    }
  }
  if (mode === 'host') {
    const bad = /[ \\^`{|}]/.exec(bytes)?.[0];
    if (bad !== undefined) throw new GoError(`invalid character ${quoteString(bad)} in host name`);
  }
  const decoded = bytes.replace(/%([\da-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeBytes(Buffer.from(decoded, 'latin1'));
}

const kept: Readonly<Record<Mode, RegExp>> = {
  path: /[\w.~\-$&+,/:;=@]/,
  host: /[\w.~\-!$&'()*+,;=:[\]<>"]/,
  userPassword: /[\w.~\-$&+,;=]/,
  fragment: /[\w.~\-$&+,/:;=?@!()*]/,
};

function escaped(text: string, mode: Mode): string {
  let out = '';
  for (const byte of encodeBytes(text)) {
    const each = String.fromCharCode(byte);
    out += kept[mode].test(each) ? each : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** A URL as text. */
export function printGoUrl(url: GoUrl): string {
  const { scheme, opaque, userinfo, host, query, fragment } = url;
  let out = scheme === '' ? '' : `${scheme}:`;
  if (opaque !== '') out += opaque;
  else {
    const hasAuthority = host !== '' || userinfo !== undefined;
    if ((scheme !== '' && url.path !== '') || hasAuthority) out += '//';
    if (userinfo !== undefined) out += `${userinfo}@`;
    if (host !== '') out += escaped(host, 'host');
    const path = url.path === '*' ? '*' : escaped(url.path, 'path');
    if (path !== '' && !path.startsWith('/') && host !== '') out += '/';
    if (out === '' && path.split('/')[0]!.includes(':')) out += './';
    out += path;
  }
  if (query !== '') out += `?${query}`;
  return fragment === '' ? out : `${out}#${escaped(fragment, 'fragment')}`;
}
