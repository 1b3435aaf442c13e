import type { RequestContext } from '../../plugin/request-context.ts';

/** The cookie that binds a client to a target. */
export interface AffinityCookie {
  readonly cookie: string;
  readonly path: string | null;
  readonly domain: string | null;
  /** In seconds from now. */
  readonly expires: number | null;
  readonly max_age: number | null;
  readonly samesite: 'Strict' | 'Lax' | 'None' | null;
  readonly conditional_samesite_none: boolean;
  /** Null for: when the client came over TLS. */
  readonly secure: boolean | null;
}

/** The text of a `Set-Cookie` header, with the attributes in ingress-nginx's order. */
export function affinityCookie(
  { client, headers, runtime }: RequestContext,
  config: AffinityCookie,
  value: string,
): string {
  const isOmitted =
    config.conditional_samesite_none &&
    config.samesite === 'None' &&
    isConfusedByNone(headers.get('user-agent') ?? '');
  return [
    `${config.cookie}=${value}`,
    ...(config.expires === null ? [] : [`Expires=${cookieDate(runtime.now(), config.expires)}`]),
    ...(config.max_age === null ? [] : [`Max-Age=${config.max_age}`]),
    ...(config.domain === null ? [] : [`Domain=${config.domain}`]),
    `Path=${config.path ?? '/'}`,
    ...((config.secure ?? client.isTls) ? ['Secure'] : []),
    'HttpOnly',
    ...(config.samesite === null || isOmitted ? [] : [`SameSite=${config.samesite}`]),
  ].join('; ');
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const days = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');

/** As nginx writes the time in a cookie: `Thu, 18-Nov-10 11:27:35 GMT`. */
function cookieDate(now: number, seconds: number): string {
  const limit = 8_640_000_000_000_000;
  const date = new Date(Math.min(limit, Math.max(-limit, now + seconds * 1_000)));
  const two = (value: number) => String(value % 100).padStart(2, '0');
  return `${days[date.getUTCDay()]}, ${two(date.getUTCDate())}-${months[date.getUTCMonth()]}-${two(date.getUTCFullYear())} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} GMT`;
}

/** Browsers that take `SameSite=None` for `Strict`, or refuse the cookie: those that ingress-nginx knows. */
const confused = [/Chrome\/[456]/, /CPU iPhone OS 12/, /iPad; CPU OS 12/];

function isConfusedByNone(agent: string): boolean {
  const looked = agent.slice(0, 512);
  const has = (part: string) => looked.includes(part);
  const isOldSafari =
    has('Macintosh') && has('Intel Mac OS X 10_14') && has('Safari') && !has('Chrome');
  return isOldSafari || confused.some((pattern) => pattern.test(looked));
}
