import { configSchema, record } from '../../plugin/config-schema.ts';
import { definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { RequestCopies } from '../request-copies.ts';

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

/**
 * Sends copies of requests to other upstreams, each to its share of them, as the Gateway API's
 * RequestMirror says. Nobody waits for a mirror, and what it answers is thrown away.
 */
export function httpRouteMirror(random: () => number = Math.random) {
  const copies = new RequestCopies<readonly Mirror[]>('http-route-mirror');
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
      return due.length === 0 ? undefined : copies.note(context, due, true);
    },
    headerFilter(context) {
      for (const mirror of copies.take(context) ?? []) {
        copies.send(context, () => copyFor(context, mirror));
      }
    },
    close: () => copies.close(),
  });
}

function copyFor(context: RequestContext, { host, port }: Mirror) {
  const query = context.query === undefined ? '' : `?${context.query}`;
  const path = (context.upstream?.path ?? '/') + query;
  return {
    target: { isSecure: false, host, port, serverName: host, path },
    host: context.headers.get('host') ?? context.headers.get(':authority') ?? host,
    body: context.upstream?.body,
  };
}
