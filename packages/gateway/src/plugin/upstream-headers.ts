import { HeaderList } from '../http/header-list.ts';
import { headerValue } from '../http/header-value.ts';
import { viaHeader } from '../version.ts';
import type { RequestContext } from './request-context.ts';

/** Never passed on: they speak of one connection, or are set anew for the upstream. */
const dropped: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'te',
  'trailer',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'via',
  'http2-settings',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-path',
  'x-forwarded-prefix',
  'x-real-ip',
  'x-kong-request-id',
]);

/** Only the gateway itself may say who the consumer is: what a client sends under these names is lost. */
const reservedForConsumers = [
  'x-consumer-id',
  'x-consumer-custom-id',
  'x-consumer-username',
  'x-credential-identifier',
  'x-anonymous-consumer',
  'x-consumer-groups',
];

/** The headers for the upstream, but for `Host`, which depends on the target that is chosen. */
export function upstreamHeaders(context: RequestContext): HeaderList {
  const { raw } = context.headers;
  const connection = context.headers.get('connection');
  const listed = connection === undefined ? undefined : connectionTokens(connection);
  const result: string[] = [];
  let forwardedFor = '';
  let via = '';
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const value = raw[index + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'x-forwarded-for') {
      forwardedFor += `${value}, `;
    } else if (lower === 'via') {
      via += `${value}, `;
    } else if (lower === 'te') {
      if (/(^|,)\s*trailers\s*(,|;|$)/i.test(value)) result.push('TE', 'trailers');
    } else if (!dropped.has(lower) && listed?.has(lower) !== true && !lower.startsWith(':')) {
      result.push(name, value);
    }
  }
  const { client } = context;
  result.push(
    'Via',
    via + viaHeader,
    'X-Forwarded-For',
    forwardedFor + client.remoteAddress,
    'X-Forwarded-Proto',
    client.forwardedProto,
    'X-Forwarded-Host',
    client.forwardedHost,
    'X-Forwarded-Port',
    String(client.forwardedPort),
    'X-Forwarded-Path',
    forwardedPath(context),
    'X-Real-IP',
    client.ip,
    'X-Kong-Request-Id',
    context.requestId,
  );
  const prefix = forwardedPrefix(context);
  if (prefix !== undefined) result.push('X-Forwarded-Prefix', headerValue(prefix));
  return new HeaderList(result);
}

/** Takes off what a client says on consumers; for requests that an authentication plugin looks at. */
export function withoutConsumerHeaders(headers: HeaderList): void {
  for (const name of reservedForConsumers) headers.remove(name);
}

function connectionTokens(connection: string): ReadonlySet<string> {
  const tokens = connection.split(',').map((token) => token.trim().toLowerCase());
  // A client may not have headers dropped that the gateway decides by.
  return new Set(tokens.filter((token) => token !== 'close' && token !== 'keep-alive'));
}

function forwardedPath(context: RequestContext): string {
  const said = context.client.isTrusted ? context.headers.get('x-forwarded-path') : undefined;
  if (said !== undefined) return said;
  const { target } = context;
  const question = target.indexOf('?', 1);
  return question === -1 ? target : target.slice(0, question);
}

function forwardedPrefix(context: RequestContext): string | undefined {
  const said = context.client.isTrusted ? context.headers.get('x-forwarded-prefix') : undefined;
  const prefix = said ?? context.match?.prefix;
  return prefix === '/' || prefix === '' ? undefined : prefix;
}
