import type { RequestContext } from '../../plugin/request-context.ts';

/** They speak of one connection, or of a body that is not sent along. */
const ofConnection: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'upgrade',
  'keep-alive',
  'proxy',
  'proxy-connection',
  'te',
  'trailer',
  'expect',
  'transfer-encoding',
  'content-length',
  'http2-settings',
]);

const validName = /^[A-Za-z0-9-]+$/;

/** The client's headers for a request that is made on its behalf, without a body: name, value… */
export function sentHeaders(context: RequestContext, without: ReadonlySet<string>): string[] {
  const { raw } = context.headers;
  const sent: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? '';
    const lower = name.toLowerCase();
    if (validName.test(name) && !ofConnection.has(lower) && !without.has(lower)) {
      sent.push(name, raw[index + 1] ?? '');
    }
  }
  return sent;
}

/** What a request without a body says of it: nothing, or that it is empty where one is expected. */
export function bodyless(method: string): string[] {
  return ['POST', 'PUT', 'PATCH'].includes(method) ? ['Content-Length', '0'] : [];
}
