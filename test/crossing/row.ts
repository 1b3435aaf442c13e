import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { TranslateFeatures } from '@waygate/ingress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { object, service, slice } from '../ingress/kind-row.ts';
import { Crossing, type Place, type Seen } from './crossing.ts';

/** A request of a client, what the upstream is to see of it and what the client is to get. */
export interface Exchange {
  readonly method?: string;
  readonly path?: string;
  /** Default `example.com`. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** Over TLS, with this server name. */
  readonly serverName?: string;
  /** Default 200. */
  readonly status?: number;
  /** Part of what the upstream sees; `none` if it is not to be asked. Headers that are null are absent. */
  readonly sees?: 'none' | View;
  /** Headers that the client gets; those that are null it does not. */
  readonly gets?: Readonly<Record<string, string | RegExp | null>>;
  readonly says?: RegExp;
}

interface View extends Partial<Omit<Seen, 'headers'>> {
  readonly headers?: Readonly<Record<string, string | RegExp | null>>;
}

/** Objects, and what is asked once they are translated and loaded. */
export interface Row {
  readonly name: string;
  readonly objects: readonly object[] | ((place: Place) => readonly object[]);
  readonly asks: readonly Exchange[];
  /** Of the Service `web` that every row has. */
  readonly service?: Readonly<Record<string, string>>;
  /** Where `web` leads. Default: `one`. */
  readonly to?: readonly (keyof Place)[];
  /** How it is translated. */
  readonly features?: TranslateFeatures;
  /** Only this router can do it. */
  readonly only?: 'traditional_compatible' | 'expressions';
}

/** Runs rows with both routers, each with a gateway of its own. */
export function crossingSuite(name: string, rows: readonly Row[]): void {
  describe.each(['traditional_compatible', 'expressions'] as const)(`${name}, %s`, (flavor) => {
    const crossing = new Crossing(flavor);
    beforeAll(() => crossing.start());
    afterAll(() => crossing.stop());
    const own = rows.filter(({ only }) => only === undefined || only === flavor);
    test.each(own.map((row) => [row.name, row] as const))('%s', async (_, row) => {
      await crossing.load(objectsOf(row, crossing.place), row.features);
      for (const exchange of row.asks) await check(crossing, exchange);
    });
  });
}

export function objectsOf(row: Row, place: Place): readonly object[] {
  const objects = typeof row.objects === 'function' ? row.objects(place) : row.objects;
  const ports = (row.to ?? ['one']).map((name) => Number(place[name]));
  const names = objects.map((one) => one as { metadata: { name: string }; kind: string });
  const hasOwn = names.some(({ kind, metadata }) => kind === 'Service' && metadata.name === 'web');
  return hasOwn ? objects : [service('web', row.service), ...slice('web', ports), ...objects];
}

/** Asks, and compares both views. */
export async function check(crossing: Crossing, exchange: Exchange): Promise<void> {
  crossing.seen.length = 0;
  const answer = await send(crossing, exchange);
  const { sees, gets = {}, status = 200, says } = exchange;
  const about = `${exchange.method ?? 'GET'} ${exchange.path ?? '/'}`;
  expect({ about, status: answer.status, body: answer.body }).toMatchObject({ status });
  if (sees === 'none') {
    expect(crossing.seen).toEqual([]);
  } else if (sees !== undefined) {
    const seen = crossing.seen.at(-1);
    const { headers = {}, ...rest } = sees;
    expect(seen).toMatchObject(rest);
    compareHeaders(seen?.headers ?? {}, headers);
  }
  compareHeaders(answer.headers, gets);
  if (says !== undefined) expect(answer.body).toMatch(says);
}

function compareHeaders(
  headers: IncomingHttpHeaders,
  expected: Readonly<Record<string, string | RegExp | null>>,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const found = headers[name.toLowerCase()];
    const text = found === undefined ? null : [found].flat().join(', ');
    const matcher = value instanceof RegExp ? expect.stringMatching(value) : value;
    expect({ [name]: text }).toEqual({ [name]: matcher });
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** As it is written: neither path nor headers are tidied up on the way. */
export function send({ addresses }: Crossing, exchange: Exchange): Promise<Answer> {
  const { method = 'GET', path = '/', host = 'example.com', headers = {}, body } = exchange;
  const { serverName } = exchange;
  const at = addresses.proxy.find(({ isTls }) => isTls === (serverName !== undefined));
  const options = {
    ...{ host: '127.0.0.1', port: at?.port, method, path, agent: false as const },
    headers: { Host: host, ...headers },
  };
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
      answer.on('error', reject);
    };
    const sent =
      serverName === undefined
        ? httpRequest(options, onAnswer)
        : httpsRequest({ ...options, servername: serverName, rejectUnauthorized: false }, onAnswer);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** An HTTPRoute for `example.com`, on every Gateway. */
export function httpRoute(rules: readonly object[], meta: object = {}, spec: object = {}): object {
  return object(
    'gateway.networking.k8s.io/v1',
    'HTTPRoute',
    'r',
    {
      spec: {
        parentRefs: [{ name: 'gw' }],
        hostnames: ['example.com'],
        rules: rules.map((rule) => ({ backendRefs: [{ name: 'web', port: 80 }], ...rule })),
        ...spec,
      },
    },
    meta,
  );
}

export const prefix = (value: string) => ({ matches: [{ path: { type: 'PathPrefix', value } }] });
