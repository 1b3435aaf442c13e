/** Where a server listens, and which web pages may use it. */
export interface PageGuard {
  /** The address that the server is bound to. */
  readonly host: string;
  /** Names that clients may know the server by, beside those of loopback and its address. */
  readonly names?: readonly string[] | undefined;
  /** Origins whose pages may use the server: `http://localhost:3000`. */
  readonly origins?: readonly string[] | undefined;
  /** False where TLS tells names apart: a page cannot make a browser take another's certificate. */
  readonly isNameChecked?: boolean | undefined;
}

/** Headers as Node.js hands them over, names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Why a request is refused because a browser sent it for a page of another origin; undefined when it is
 * not. A server on loopback has every page in its user's browser for a neighbour: a page may send a form
 * or a plain GET to any port without being asked, and read the answer once its own name resolves to
 * 127.0.0.1. The three headers that are looked at (`Host`, `Origin`, `Sec-Fetch-Site`) are set by the
 * browser, and no page can change them; programs send only the first.
 *
 * @example
 * pageRefusal({ host: 'evil.example:8001' }, { host: '127.0.0.1' }); // 'the Host "evil.example" is …'
 * pageRefusal({ host: 'localhost:8001' }, { host: '127.0.0.1' }); // undefined
 */
export function pageRefusal(headers: RequestHeaders, guard: PageGuard): string | undefined {
  const host = single(headers.host);
  const origin = single(headers.origin);
  const isAllowed = origin !== undefined && (guard.origins ?? []).includes(origin);
  if (guard.isNameChecked !== false && host !== undefined && !isKnownName(host, guard)) {
    return `the Host ${quote(nameOf(host))} is no name of this server`;
  }
  if (isAllowed) return undefined;
  if (origin !== undefined && !isSameOrigin(origin, host)) {
    return `the page's origin ${quote(origin)} is not this server's`;
  }
  const site = single(headers['sec-fetch-site']);
  if (site === 'cross-site' || site === 'same-site') {
    return 'a browser asks for it on behalf of a page of another origin';
  }
  return undefined;
}

/**
 * Whether only programs of this machine can reach an address.
 *
 * ```ts
 * isLoopback('127.0.0.1'); // true
 * isLoopback('example.com'); // false
 * ```
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name)
  );
}

function isKnownName(host: string, { host: bound, names = [] }: PageGuard): boolean {
  const name = nameOf(host);
  return isLoopback(name) || name === bound.toLowerCase() || names.includes(name);
}

/** The name in `name:port`, without the brackets of an IPv6 address and the dot at its end. */
function nameOf(host: string): string {
  const name = /^\[([^\]]*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return name.toLowerCase().replace(/\.$/, '');
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const match = /^https?:\/\/(.+)$/.exec(origin);
  return match !== null && host !== undefined && match[1] === host.toLowerCase();
}

/** A header that came several times says too many things to be believed. */
function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** As much of a header as fits into a message, without what a terminal would obey. */
function quote(text: string): string {
  return `"${text.slice(0, 100).replace(/[^\x20-\x7e]/g, '?')}"`;
}
