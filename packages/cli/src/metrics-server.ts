import { type PassthroughCounters, renderMetrics } from '@waygate/passthrough';
import { HttpListener } from '@waygate/runtime';
import { CliError } from './context.ts';
import type { ListenAddress } from './listen-address.ts';

/** Serves the counters of a cluster at /metrics. */
export async function serveMetrics(
  listen: ListenAddress,
  source: { counters(): Promise<PassthroughCounters> },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const listener = new HttpListener({
    ...listen,
    onRequest: async (request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end('there is only /metrics here\n');
        return;
      }
      const text = renderMetrics(await source.counters());
      response
        .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
        .end(text);
    },
  });
  const { port } = await listener.listen().catch((error: Error) => {
    throw new CliError(`cannot serve metrics on ${listen.host}:${listen.port}: ${error.message}`);
  });
  return { port, close: () => listener.close() };
}
