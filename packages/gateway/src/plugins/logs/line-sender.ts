import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { sentServerName } from '../../tls/sent-server-name.ts';

/** A server that takes lines over TCP. */
export interface LinePlace {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** With TLS: the name to ask for, or null for the host. */
  readonly tlsName?: string | null;
}

/** Sends lines over a connection of their own. Rejects if they cannot be sent, or the signal says to let go. */
export function sendLines(
  { host, port, timeoutMs, tlsName }: LinePlace,
  lines: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket =
      tlsName === undefined
        ? connect({ host, port })
        : connectTls({ host, port, ...sentServerName(tlsName ?? '') });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('the log server is too slow')));
    const giveUp = () => socket.destroy(new Error('the gateway has stopped'));
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    socket.end(lines.join(''));
    socket.resume();
  });
}
