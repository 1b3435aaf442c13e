import { once } from 'node:events';
import { createServer } from 'node:http';
import { type PassthroughCounters, renderMetrics } from '@waygate/passthrough';
import { CliError } from './context.ts';
import type { ListenAddress } from './listen-address.ts';

/** Serves the counters of a cluster at /metrics. */
export async function serveMetrics(
  listen: ListenAddress,
  source: { counters(): Promise<PassthroughCounters> },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end('there is only /metrics here\n');
      return;
    }
    const text = renderMetrics(await source.counters());
    response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      .end(text);
  });
  server.listen(listen.port, listen.host);
  await once(server, 'listening').catch((error: Error) => {
    throw new CliError(`cannot serve metrics on ${listen.host}:${listen.port}: ${error.message}`);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : listen.port,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
