import { configSchema, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { readBody } from '../../proxy/request-body.ts';
import { bodyless, sentHeaders } from '../nginx/client-headers.ts';
import { SideClient } from '../nginx/side-client.ts';

interface Mirror {
  /** An upstream, or any host. */
  readonly host: string;
  readonly port: number;
  readonly numerator: number;
  readonly denominator: number;
}

interface Config {
  readonly mirrors: readonly Mirror[];
}

/** A longer body is not held for mirrors: the request then goes to the upstream only. */
const maximumBodyBytes = 1_024 * 1_024;
/** Mirrors that do not keep up get no more until some are done. */
const maximumUnderWay = 256;
const timeoutMs = 60_000;
const dueKey = 'http-route-mirror';

/**
 * Sends copies of requests to other upstreams, each to its share of them, as the Gateway API's
 * RequestMirror says. Nobody waits for a mirror, and what it answers is thrown away.
 */
export function httpRouteMirror(random: () => number = Math.random) {
  const client = new SideClient();
  const never = new AbortController().signal;
  let underWay = 0;
  const send = (context: RequestContext, mirror: Mirror) => {
    if (underWay >= maximumUnderWay) {
      return;
    }
    underWay += 1;
    sendCopy(client, context, mirror, never)
      .catch(() => {})
      .finally(() => {
        underWay -= 1;
      });
  };
  return definePlugin<Config>({
    name: 'http-route-mirror',
    isUnlisted: true,
    priority: 95,
    schema: configSchema({
      mirrors: {
        type: 'array',
        required: true,
        elements: record({
          host: { type: 'string', required: true },
          port: { type: 'integer', between: [1, 65535], required: true },
          numerator: { type: 'integer', default: 1 },
          denominator: { type: 'integer', default: 1, gt: 0 },
        }),
      },
    }),
    access(context, { mirrors }) {
      const due = mirrors.filter(
        ({ numerator, denominator }) => random() * denominator < numerator,
      );
      if (due.length === 0) {
        return undefined;
      }
      context.shared.set(dueKey, due);
      if (!context.hasBody) {
        return undefined;
      }
      return readBody(context, maximumBodyBytes).then((body) => {
        if (body === undefined) {
          context.shared.delete(dueKey);
        }
      });
    },
    // Not before the upstream has answered, so that a mirror never takes its place in a queue.
    headerFilter(context) {
      const due = (context.shared.get(dueKey) ?? []) as readonly Mirror[];
      context.shared.delete(dueKey);
      for (const mirror of due) {
        send(context, mirror);
      }
    },
    close: () => client.close(),
  });
}

async function sendCopy(
  client: SideClient,
  context: RequestContext,
  { host, port }: Mirror,
  signal: AbortSignal,
): Promise<void> {
  const place = await context.runtime.locate(host, port);
  if (place === undefined) {
    return;
  }
  const body = context.upstream?.body;
  const name = context.headers.get('host') ?? context.headers.get(':authority') ?? host;
  const query = context.query === undefined ? '' : `?${context.query}`;
  await client.ask(
    {
      target: {
        isSecure: false,
        host: place.ip,
        port: place.port,
        serverName: host,
        path: (context.upstream?.path ?? '/') + query,
      },
      method: context.method,
      headers: [
        'Host',
        name,
        ...(body === undefined
          ? bodyless(context.method)
          : ['Content-Length', String(body.length)]),
        ...sentHeaders(context, new Set()),
      ],
      ...(body === undefined ? {} : { body }),
      timeoutMs,
    },
    signal,
  );
}
