import type { BalancerAddress } from '../balancer/balancer-address.ts';
import { fastCgiBody, fastCgiBodyEnd, fastCgiHead } from '../fastcgi/fastcgi-request.ts';
import { checkHead } from '../http1/head-text.ts';
import type { RequestContext } from '../plugin/request-context.ts';

/** How the body of a request goes to the upstream. */
export type RequestBodyPlan =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly body: Buffer }
  | { readonly kind: 'stream'; readonly length: number | undefined };

/** What may not stand in a request line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const unsafeInTarget = /[\x00-\x20\x7f]|[^\x00-\xff]/;

/** The `Host` for a target: what a plugin, the route or the upstream says, or else the target's name. */
export function upstreamHost(
  context: RequestContext,
  address: BalancerAddress,
  hostHeader: string | null | undefined,
  isSecure: boolean,
): string {
  const { upstream, match } = context;
  const kept = match?.entry.route.preserve_host === true ? clientHost(context) : undefined;
  return upstream?.headers.get('host') ?? kept ?? hostHeader ?? defaultHost(address, isSecure);
}

/** A request to an upstream up to a body that streams, as text with one character a byte. */
export function requestText(context: RequestContext, host: string, plan: RequestBodyPlan): string {
  const params = context.manner?.fastCgi;
  if (params === undefined) {
    const head = httpHead(context, host, plan);
    return plan.kind === 'whole' ? head + plan.body.toString('latin1', 0, plan.body.length) : head;
  }
  const head = fastCgiHead(params(lengthOf(context, plan)));
  const body = plan.kind === 'whole' ? fastCgiBody(plan.body) : Buffer.alloc(0);
  const end = plan.kind === 'stream' ? Buffer.alloc(0) : fastCgiBodyEnd;
  return Buffer.concat([head, body, end]).toString('latin1');
}

function lengthOf(context: RequestContext, plan: RequestBodyPlan): number | undefined {
  switch (plan.kind) {
    case 'whole':
      return plan.body.length;
    case 'stream':
      return plan.length;
    case 'none':
      return context.headers.has('content-length') ? 0 : undefined;
  }
}

function httpHead(context: RequestContext, host: string, plan: RequestBodyPlan): string {
  const { upstream, request } = context;
  if (upstream === undefined) throw new Error('a request that has no route goes nowhere');
  const { query, method } = upstream;
  const target = query === undefined ? upstream.path : `${upstream.path}?${query}`;
  const safe = unsafeInTarget.test(target) ? encodeTarget(target) : target;
  let text = `${method} ${safe} HTTP/1.1\r\nHost: ${host}\r\n`;
  const { raw } = upstream.headers;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    if (!isSetHere(name)) text += `${name}: ${raw[index + 1]}\r\n`;
  }
  text += bodyLines(context, plan);
  const connection = context.manner?.connection ?? 'keep-alive';
  if (request.upgrade === undefined) {
    text += `Connection: ${connection}\r\n\r\n`;
  } else if (context.manner?.connection === undefined) {
    text += `Connection: keep-alive, Upgrade\r\nUpgrade: ${request.upgrade}\r\n\r\n`;
  } else {
    text += `Connection: ${connection}\r\nUpgrade: ${request.upgrade}\r\n\r\n`;
  }
  return checkHead(text);
}

/** What is decided here, whatever a plugin put into the headers. */
function isSetHere(name: string): boolean {
  switch (name.length) {
    case 4:
      return name.toLowerCase() === 'host';
    case 7:
      return name.toLowerCase() === 'upgrade';
    case 10:
      return name.toLowerCase() === 'connection';
    case 14:
      return name.toLowerCase() === 'content-length';
    case 17:
      return name.toLowerCase() === 'transfer-encoding';
    default:
      return false;
  }
}

function bodyLines(context: RequestContext, plan: RequestBodyPlan): string {
  switch (plan.kind) {
    case 'whole':
      return `Content-Length: ${plan.body.length}\r\n`;
    case 'stream':
      return plan.length === undefined
        ? 'Transfer-Encoding: chunked\r\n'
        : `Content-Length: ${plan.length}\r\n`;
    case 'none':
      return context.headers.has('content-length') ? 'Content-Length: 0\r\n' : '';
  }
}

function clientHost({ headers, request }: RequestContext): string | undefined {
  return request.httpVersionMajor === 2
    ? (headers.get(':authority') ?? headers.get('host'))
    : headers.get('host');
}

/** `host:port` of the target by its name; the port is left out where the scheme implies it. */
function defaultHost(address: BalancerAddress, isSecure: boolean): string {
  const isBare = address.hostname.includes(':') && !address.hostname.startsWith('[');
  const name = isBare ? `[${address.hostname}]` : address.hostname;
  return address.port === (isSecure ? 443 : 80) ? name : `${name}:${address.port}`;
}

function encodeTarget(target: string): string {
  let encoded = '';
  for (const byte of Buffer.from(target, 'utf8')) {
    encoded +=
      byte <= 0x20 || byte >= 0x7f
        ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte);
  }
  return encoded;
}
