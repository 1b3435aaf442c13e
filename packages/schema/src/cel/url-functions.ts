import type { CelFunctionRegistry } from './function-registry.ts';

/** An address inside an expression, with its parts as they were written. */
class CelUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;

  constructor(scheme = '', host = '', path = '', query = '') {
    this.scheme = scheme;
    this.host = host;
    this.path = path;
    this.query = query;
  }
}

/** Absolute addresses, and paths that begin with a slash; no fragment. */
const pattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\s]*))?(\/[^?#\s]*)?(?:\?([^#\s]*))?$/;

function read(text: string): CelUrl | undefined {
  const found = pattern.exec(text);
  if (found === null || text === '' || (found[1] === undefined && found[3] === undefined)) {
    return undefined;
  }
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return new CelUrl(scheme.toLowerCase(), host.replace(/^[^@]*@/, ''), path, query);
}

/** `url('https://example.com/a?b=c')` and its parts, as Kubernetes has it. */
export function registerUrlFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('Url', CelUrl);
  registry.registerFunction('isURL(string): bool', (text: string) => read(text) !== undefined);
  registry.registerFunction('url(string): Url', (text: string) => {
    const url = read(text);
    if (url === undefined)
      throw new Error(`URL parse error during conversion from string: ${text}`);
    return url;
  });
  registry.registerFunction('Url.getScheme(): string', ({ scheme }: CelUrl) => scheme);
  registry.registerFunction('Url.getHost(): string', ({ host }: CelUrl) => host);
  registry.registerFunction('Url.getHostname(): string', ({ host }: CelUrl) =>
    host.replace(/:\d*$/, '').replace(/^\[|\]$/g, ''),
  );
  registry.registerFunction(
    'Url.getPort(): string',
    ({ host }: CelUrl) => /:(\d*)$/.exec(host)?.[1] ?? '',
  );
  registry.registerFunction('Url.getEscapedPath(): string', ({ path }: CelUrl) => encodeURI(path));
  registry.registerFunction('Url.getQuery(): map', ({ query }: CelUrl) => {
    const values = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(query)) {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
    return Object.fromEntries(values);
  });
}
