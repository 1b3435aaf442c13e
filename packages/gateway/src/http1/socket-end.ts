import type { Socket } from 'node:net';
import type { ClientLimits } from '../exchange/client-limits.ts';

/** Reads what still comes and drops it, as long as it does come and for no longer than it may. */
export function linger(socket: Socket, { lingerMs, lingerQuietMs }: ClientLimits): void {
  const destroy = () => socket.destroy();
  const all = setTimeout(destroy, lingerMs).unref();
  const quiet = setTimeout(destroy, lingerQuietMs).unref();
  socket.on('data', () => quiet.refresh());
  socket.resume();
  socket.once('close', () => {
    clearTimeout(all);
    clearTimeout(quiet);
  });
}

/** What the system has not taken of what was written; a large piece is taken bit by bit. */
export function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
