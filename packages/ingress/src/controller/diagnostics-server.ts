import type { ServerResponse } from 'node:http';
import { HttpListener } from '@waygate/runtime';
import type { ListenOptions } from './controller-options.ts';

/** What each path shows, made when it is asked for; undefined when there is nothing yet. */
export type DiagnosticPages = Readonly<Record<string, (query: URLSearchParams) => unknown>>;

/** Shows what the controller has in its mind, under the paths of Kong Ingress Controller. */
export function diagnosticsServer(listen: ListenOptions, pages: DiagnosticPages): HttpListener {
  return new HttpListener({
    ...listen,
    onRequest: ({ url = '/' }, reply) => {
      const [path = '/', query = ''] = url.split('?', 2);
      if (path === '/') return send(reply, 200, { pages: Object.keys(pages).sort() });
      if (!Object.hasOwn(pages, path))
        return send(reply, 404, { message: 'there is no such page' });
      const body = pages[path]?.(new URLSearchParams(query));
      if (body === undefined) send(reply, 404, { message: 'there is nothing to show yet' });
      else send(reply, 200, body);
    },
  });
}

function send(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, { 'Content-Type': 'application/json' });
  reply.end(`${JSON.stringify(body, null, 1)}\n`);
}
