import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const given = new Set<number>();

/**
 * A port on which nothing listens, for what cannot be asked for port 0 or must be refused. It lies below those that
 * systems give to port 0 and to outgoing connections: one of these may be somebody else's a moment after it was free.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
