/**
 * The cookies of a file in the form of curl and of browsers' exports that go to an address: one a
 * line, with the domain, whether it holds for subdomains, the path, whether it needs TLS, the second
 * until which it holds (0: no end), the name and the value, with tabs between them.
 */
export function cookieHeader(jar: string, address: string, nowMs: number): string {
  const url = new URL(address);
  return jar
    .split(/\r?\n/)
    .map((line) => line.replace(/^#HttpOnly_/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      const [domain = '', , path = '/', secure, expiry, name = '', value = ''] = line.split('\t');
      const isFor =
        isDomain(domain, url.hostname) &&
        isUnder(path, url.pathname) &&
        (secure !== 'TRUE' || url.protocol === 'https:') &&
        (Number(expiry) === 0 || Number(expiry) * 1000 > nowMs);
      return isFor && name !== '' ? [`${name}=${value}`] : [];
    })
    .join('; ');
}

function isDomain(domain: string, host: string): boolean {
  const bare = domain.replace(/^\./, '').toLowerCase();
  return bare !== '' && (host === bare || host.endsWith(`.${bare}`));
}

/** A cookie of the root goes everywhere; requests go below the path of the address. */
function isUnder(path: string, prefix: string): boolean {
  return path === '/' || prefix === path || prefix.startsWith(path.replace(/\/?$/, '/'));
}
