import { HeaderList } from '../../http/header-list.ts';
import type { Followed, Pace } from '../../plugin/proxy-manner.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { decodedPath, encodedPath } from '../../router/decoded-path.ts';
import { changeResponseHeaders, type ResponseConfig } from './response-headers.ts';

/** An upstream may point on so often; then the request goes in circles. */
const maximumRedirects = 10;

/** What the first answer says on the whole, whoever gives it. */
const carriedNames: ReadonlySet<string> = new Set([
  'content-type',
  'set-cookie',
  'content-disposition',
  'cache-control',
  'expires',
  'accept-ranges',
]);

/** Where `X-Accel-Redirect` of an upstream's answer leads: to another path of the same host, or nowhere. */
export function accelRedirect(
  context: RequestContext,
  headers: HeaderList,
  config: ResponseConfig,
): Followed | undefined {
  const value = headers.get('x-accel-redirect');
  if (value === undefined) return undefined;
  // Locations with names are nginx's own: none of them is an Ingress's.
  if (value.startsWith('@') || redirectsOf(context) >= maximumRedirects) {
    return { kind: 'refused', status: 500 };
  }
  const target = targetOf(value);
  if (target === undefined) return { kind: 'refused', status: 404 };
  return { kind: 'path', target, carried: carriedOf(headers, config) };
}

/** What `X-Accel-Limit-Rate` makes of the pace; undefined for none. */
export function accelPace(pace: Pace | undefined, headers: HeaderList): Pace | undefined {
  const value = headers.get('x-accel-limit-rate');
  if (value === undefined || !/^\d{1,12}$/.test(value)) return pace;
  const bytesPerSecond = Number(value);
  return bytesPerSecond === 0 ? undefined : { freeBytes: 0, ...pace, bytesPerSecond };
}

function redirectsOf({ origin }: RequestContext): number {
  return origin === undefined ? 0 : redirectsOf(origin) + 1;
}

/** A path that leads out of where it stands, or ends in the middle, is none. */
function targetOf(value: string): string | undefined {
  const [path = ''] = value.split('?', 1);
  const decoded = path.replace(/%([0-9A-Fa-f]{2})/g, (_escape, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  if (!decoded.startsWith('/') || decoded.includes('\0') || /\/\.\.(\/|$)/.test(decoded)) {
    return undefined;
  }
  return encodedPath(decodedPath(path)) + value.slice(path.length);
}

function carriedOf(headers: HeaderList, config: ResponseConfig): string[] {
  const changed = new HeaderList([...headers.raw]);
  changeResponseHeaders(changed, config);
  const carried: string[] = [];
  for (let index = 0; index < changed.raw.length; index += 2) {
    const [name = '', value = ''] = [changed.raw[index], changed.raw[index + 1]];
    if (carriedNames.has(name.toLowerCase())) carried.push(name, value);
  }
  return carried;
}
