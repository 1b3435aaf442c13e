/** Characters that Go's URL reader takes in a host name as they are. */
const hostName = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Whether the part between `//` and the path cannot be read: a bad port, or a bad character. */
function isBadAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (!hostName.test(host)) return true;
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    return close === -1 || !/^(?::\d*)?$/.test(host.slice(close + 1));
  }
  const colon = host.lastIndexOf(':');
  return colon !== -1 && !/^\d*$/.test(host.slice(colon + 1));
}

/** Whether Go's URL reader, which decK takes, cannot read a text at all. */
function isUnreadable(url: string): boolean {
  if (hasControlCharacter(url)) return true;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1];
  const rest = scheme === undefined ? url : url.slice(scheme.length + 1);
  if (rest.startsWith(':')) return true;
  if (scheme === undefined && /^[^/?#]*:/.test(rest)) return true;
  const [path = ''] = rest.split(/[?#]/, 1);
  const isOpaque = scheme !== undefined && !rest.startsWith('/');
  if (!isOpaque && /%(?![0-9A-Fa-f]{2})/.test(path)) return true;
  return rest.startsWith('//') && isBadAuthority(path.slice(2).split('/', 1)[0] ?? '');
}

/** What is wrong with the `url` of a service, in decK's words, or undefined. */
export function serviceUrlProblem(url: string): string | undefined {
  if (url === '') return undefined;
  if (isUnreadable(url)) return `invaid url: ${url}`;
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(url) ? undefined : `invalid url:${url}`;
}
