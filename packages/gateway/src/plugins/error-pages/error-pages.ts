import { oncePer } from '@waygate/text';
import { configSchema, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { Exit, RequestContext } from '../../plugin/request-context.ts';
import { bodyless, sentHeaders } from '../nginx/client-headers.ts';
import { nginxPage } from '../nginx/error-page.ts';
import { factsOf, sentHost } from '../nginx/request-facts.ts';
import { addRequestHeaders } from '../nginx/request-headers.ts';
import { type SideAnswer, SideClient } from '../nginx/side-client.ts';

interface Config {
  readonly codes: readonly number[];
  readonly upstream: string | null;
  readonly port: number;
  readonly headers: {
    readonly namespace: string | null;
    readonly ingress: string | null;
    readonly service: string | null;
    readonly service_port: string | null;
  };
  readonly intercept: boolean;
  readonly unavailable: boolean;
  readonly recursion: boolean;
}

/** A page that is larger is no page. */
const maximumPageBytes = 8 * 1_024 * 1_024;
const timeoutMs = 60_000;

/**
 * Has another service answer in place of errors: those of the upstream, and those of the gateway. It is
 * told what happened in `X-Code` and so on, and what it says is the answer, status and all.
 */
export function errorPages() {
  const client = new SideClient();
  return definePlugin<Config>({
    name: 'error-pages',
    isUnlisted: true,
    priority: 3_005,
    schema: createSchema(),
    access(context, config) {
      if (config.unavailable && config.upstream !== null) {
        const { upstream: host, port } = config;
        context.manner = { ...context.manner, destination: { host, port } };
        addRequestHeaders(context, pairs(context, config, 503, true));
      }
      const codes = codesOf(config.codes);
      context.manner = {
        ...context.manner,
        intercept: (status, source) =>
          codes.has(status) && (config.intercept || source !== 'upstream')
            ? pageFor(client, context, config, status, source)
            : undefined,
      };
    },
    close: () => client.close(),
  });
}

const codesOf = oncePer((codes: readonly number[]): ReadonlySet<number> => new Set(codes));

async function pageFor(
  client: SideClient,
  context: RequestContext,
  config: Config,
  status: number,
  source: 'upstream' | 'exit' | 'error',
): Promise<Exit> {
  if (config.upstream === null) return plainPage(config.recursion ? 500 : 404);
  const place = await context.runtime.locate(config.upstream, config.port);
  if (place === undefined) return plainPage(503);
  const { query, method, upstream, client: asking } = context;
  // A body that was refused for its size is not looked at, and nor is where it was meant to go.
  const isTooLarge = status === 413 && source !== 'upstream';
  const own = pairs(context, config, status, !isTooLarge);
  const names = own.map(([name]) => name.toLowerCase());
  const body = isTooLarge ? undefined : upstream?.body;
  const gone = new AbortController();
  context.reply.whenClosed(() => gone.abort());
  const answer = await client.ask(
    {
      target: {
        isSecure: false,
        host: place.ip,
        port: place.port,
        path: query ? `/?${query}` : '/',
        serverName: place.ip,
      },
      method,
      headers: [
        'Host',
        sentHost(context),
        ...own.flat(),
        ...['X-Original-URI', context.sentTarget, 'X-Forwarded-For', asking.ip],
        ...['X-Request-ID', factsOf(context).requestId],
        ...(body === undefined ? bodyless(method) : ['Content-Length', String(body.length)]),
        ...sentHeaders(context, new Set([...names, ...alsoSet])),
      ],
      ...(body === undefined ? {} : { body }),
      timeoutMs,
      maximumBodyBytes: maximumPageBytes,
    },
    gone.signal,
  );
  return exitOf(answer);
}

const alsoSet = [
  'x-original-uri',
  'x-request-id',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-scheme',
  'x-scheme',
];

function pairs(
  context: RequestContext,
  config: Config,
  code: number,
  isRouted: boolean,
): [string, string][] {
  const { namespace, ingress, service, service_port: port } = config.headers;
  const said: [string, string | null | undefined][] = [
    ['X-Code', String(code)],
    ['X-Format', context.headers.get('accept')],
    ['X-Namespace', isRouted ? namespace : undefined],
    ['X-Ingress-Name', isRouted ? ingress : undefined],
    ['X-Service-Name', isRouted ? service : undefined],
    ['X-Service-Port', isRouted ? port : undefined],
  ];
  return said.flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
}

const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'server',
  'date',
  'trailer',
  'upgrade',
]);

function exitOf({ status, headers, body }: SideAnswer): Exit {
  const rawHeaders: string[] = [];
  for (const [name, values] of headers) {
    if (!ofConnection.has(name)) rawHeaders.push(...values.flatMap((value) => [name, value]));
  }
  return { status, body, contentType: undefined, headers: {}, rawHeaders };
}

function plainPage(status: number): Exit {
  const { text, contentType } = nginxPage(status);
  return { status, body: text, contentType, headers: {} };
}

function createSchema() {
  const text = { type: 'string' };
  const flag = (isOn: boolean) => ({ type: 'boolean', required: true, default: isOn });
  return configSchema({
    codes: {
      type: 'array',
      required: true,
      default: [],
      elements: { type: 'integer', between: [300, 599] },
    },
    upstream: text,
    port: { type: 'integer', required: true, default: 80, between: [1, 65_535] },
    headers: record(
      { namespace: text, ingress: text, service: text, service_port: text },
      { required: true },
    ),
    intercept: flag(true),
    unavailable: flag(false),
    recursion: flag(false),
  });
}
