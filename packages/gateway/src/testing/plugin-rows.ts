import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ask, PluginGateway } from './plugin-gateway.ts';

/** What a client and the upstream see; headers that every request has are left out. */
interface Seen {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** Undefined if nothing came to the upstream. */
  readonly upstream?: {
    readonly method?: string;
    readonly url?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

/** What one request makes of a route with plugins. */
export interface Row {
  readonly what: string;
  /** The path of its route; a number if nobody has to know. */
  readonly at?: string;
  readonly plugins: readonly object[];
  readonly ask?: Ask;
  readonly seen: Seen;
}

/** What time it is for the gateway. */
export const rowTime = 1_700_000_000_000;

/** What the gateway says of itself, in Kong's form. */
export const failed = (message: string) => `{\n  "message":"${message}",\n  "request_id":"ID"\n}`;
/** What every request and answer has. */
const common = new Set([
  ...['date', 'server', 'via', 'connection', 'content-length', 'content-type', 'host'],
  ...['transfer-encoding', 'x-kong-request-id', 'x-kong-upstream-latency', 'keep-alive'],
  ...['x-kong-proxy-latency', 'x-kong-response-latency', 'x-real-ip', 'x-forwarded-for'],
  ...['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-path'],
  'x-forwarded-prefix',
]);

function particular(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !common.has(name)),
  ) as Record<string, string | string[]>;
}

/** Makes tests of rows: one gateway with a route for each of them. */
export function testRows(
  groups: readonly (readonly [string, readonly Row[]])[],
  more: object = {},
  respond?: Parameters<PluginGateway['backend']>[1],
): void {
  const rows = groups.flatMap(([, its]) => its);
  const pathOf = (row: Row) => `/${row.at ?? `row-${rows.indexOf(row)}-`}`;
  const gateway = new PluginGateway();

  beforeAll(async () => {
    const port = await gateway.backend('b', respond);
    const routes = rows.map((row) => ({ paths: [pathOf(row)], plugins: row.plugins }));
    const services = [{ name: 's', host: '127.0.0.1', port, routes }];
    await gateway.start(port, [], { services, ...more }, { now: () => rowTime });
  });

  afterAll(() => gateway.stop());

  describe.each(groups)('%s', (_name, its) => {
    test.each(its)('$what', async (row) => {
      const { ask = {}, seen } = row;
      gateway.received.length = 0;
      const answer = await gateway.ask({ ...ask, path: pathOf(row) + (ask.path ?? '') });
      const [got] = gateway.received;
      const wanted = seen.headers ?? {};
      const shown = particular(answer.headers);
      if ('content-type' in wanted) shown['content-type'] = answer.headers['content-type'] ?? '';
      expect({
        status: answer.status,
        headers: shown,
        body: answer.body.replace(String(answer.headers['x-kong-request-id']), 'ID'),
        upstream: got && {
          method: got.method,
          url: got.url,
          headers: particular(got.headers),
          body: got.body,
        },
      }).toEqual({
        status: 200,
        body: 'b',
        ...seen,
        headers: wanted,
        upstream: seen.upstream && {
          method: 'GET',
          url: '/',
          headers: {},
          body: '',
          ...seen.upstream,
        },
      });
    });
  });
}
