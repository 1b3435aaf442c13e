import { type CelLibrary, member, overload } from '../declaration.ts';
import { boolType, listOf, mapOf, stringType, structType } from '../types/type.ts';
import { ValueList, ValueMap } from '../values/collections.ts';
import { CelFailure, CelObject, type CelValue } from '../values/value.ts';

/** An address with its parts as they were written. */
class CelUrl extends CelObject {
  readonly typeName = 'kubernetes.URL';
  readonly text: string;
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(text: string, scheme: string, host: string, path: string, query: string) {
    super();
    this.text = text;
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }

  equals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelUrl)) return new CelFailure('no such overload');
    return this.text === other.text;
  }
}

const urlType = structType('kubernetes.URL');
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f]/;
const badEscape = /%(?![0-9a-fA-F]{2})/;
const hostCharacters =
  /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]|%[89a-fA-F][0-9a-fA-F]|%25)*$/;

/** Reads an address as Go's `ParseRequestURI` does: absolute, or a path from the root. */
function read(text: string): CelUrl | string {
  const fail = (why: string) => `parse ${JSON.stringify(text)}: ${why}`;
  if (control.test(text)) return fail('net/url: invalid control character in URL');
  if (text === '') return fail('empty url');
  if (text === '*') return new CelUrl(text, '', '', '*', '');
  const colon = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (text.startsWith(':')) return fail('missing protocol scheme');
  const scheme = colon?.[1]?.toLowerCase() ?? '';
  const whole = colon === null ? text : text.slice(colon[0].length);
  const [beforeFragment = ''] = whole.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  const query = mark < 0 ? '' : beforeFragment.slice(mark + 1);
  const rest = mark < 0 ? beforeFragment : beforeFragment.slice(0, mark);
  if (!rest.startsWith('/')) {
    return scheme === ''
      ? fail('invalid URI for request')
      : new CelUrl(text, scheme, '', '', query);
  }
  const hasHost = scheme !== '' && rest.startsWith('//');
  const slash = hasHost ? rest.indexOf('/', 2) : 0;
  const authority = hasHost ? rest.slice(2, slash < 0 ? undefined : slash) : '';
  const path = slash < 0 ? '' : rest.slice(slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = /^(?:\[[^\]]*\]|[^:[\]]*)(.*)$/s.exec(host)?.[1] ?? '';
  if (host.startsWith('[') && !host.includes(']')) return fail("missing ']' in host");
  if (port !== '' && !/^:\d*$/.test(port))
    return fail(`invalid port ${JSON.stringify(port)} after host`);
  const badHost = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host);
  if (badHost !== null) return fail(`invalid character ${JSON.stringify(badHost[0])} in host name`);
  if (!hostCharacters.test(host))
    return fail(`invalid URL escape ${JSON.stringify(/%.{0,2}/.exec(host)?.[0])}`);
  const bad = badEscape.exec(path);
  if (bad !== null)
    return fail(`invalid URL escape ${JSON.stringify(path.slice(bad.index, bad.index + 3))}`);
  return new CelUrl(text, scheme, host, path, query);
}

const pathCharacters = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]/]|%[0-9a-fA-F]{2})*$/;

/** The path with everything escaped that has to be. */
function escapedPath({ path }: CelUrl): string {
  if (path === '*' || pathCharacters.test(path)) return path;
  const bytes = Buffer.from(decodeBytes(path), 'latin1');
  return [...bytes]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** The bytes of a text with its escapes undone, one character a byte. */
function decodeBytes(text: string): string {
  return Buffer.from(text, 'utf8')
    .toString('latin1')
    .replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function queryOf({ query }: CelUrl): ValueMap {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape.test(pair)) continue;
    const at = pair.indexOf('=');
    const parts = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    const [name = '', value = ''] = parts.map((part) =>
      Buffer.from(decodeBytes(part.replaceAll('+', ' ')), 'latin1').toString('utf8'),
    );
    found.set(name, [...(found.get(name) ?? []), value]);
  }
  return ValueMap.of([...found].map(([name, values]) => [name, new ValueList(values)] as const));
}

const part = (id: string, read: (url: CelUrl) => string) => [
  member(id, [urlType], stringType, (url) => read(url as CelUrl)),
];

/** `url('https://example.com/a?b=c')` and its parts. */
export const urls: CelLibrary = {
  functions: {
    url: [
      overload('string_to_url', [stringType], urlType, (text) => {
        const url = read(text as string);
        return typeof url === 'string'
          ? new CelFailure(`URL parse error during conversion from string: ${url}`)
          : url;
      }),
    ],
    isURL: [
      overload(
        'is_url_string',
        [stringType],
        boolType,
        (text) => typeof read(text as string) !== 'string',
      ),
    ],
    getScheme: part('url_get_scheme', ({ scheme }) => scheme),
    getHost: part('url_get_host', ({ host }) => host),
    getHostname: part('url_get_hostname', ({ host }) =>
      host.replace(/:\d*$/, '').replace(/^\[(.*)\]$/, '$1'),
    ),
    getPort: part('url_get_port', ({ host }) => /:(\d*)$/.exec(host)?.[1] ?? ''),
    getEscapedPath: part('url_get_escaped_path', escapedPath),
    getQuery: [
      member('url_get_query', [urlType], mapOf(stringType, listOf(stringType)), (url) =>
        queryOf(url as CelUrl),
      ),
    ],
  },
};
