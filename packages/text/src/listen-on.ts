import type { Server } from 'node:net';

/** Where a server is to listen; port 0 takes a free one. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** How many connections may wait to be taken. */
  readonly backlog?: number;
}

/** What systems say that have no IPv6: none at all, or switched off. */
const withoutIpv6: ReadonlySet<string | undefined> = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/**
 * Listens; the promise is for the moment from which on the server answers. `::` means every address of
 * the machine, of IPv6 and IPv4, and of IPv4 alone where there is no IPv6.
 *
 * ```ts
 * import { createServer } from 'node:http';
 *
 * const server = createServer();
 * await listenOn(server, { host: '::', port: 0 });
 * ```
 */
export async function listenOn(server: Server, place: ListenPlace): Promise<void> {
  try {
    await listen(server, place);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (place.host !== '::' || !withoutIpv6.has(code)) throw error;
    await listen(server, { ...place, host: '0.0.0.0' });
  }
}

function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...place }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
