import type { Socket } from 'node:net';
import { ClientHelloParser } from '@waygate/text';

/**
 * Waits for the first message of a TLS client, and puts it back. Undefined for a client that names no
 * server or does not speak TLS; rejects, and closes the connection, when it takes too long.
 */
export function readServerName(socket: Socket, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const parser = new ClientHelloParser();
    const chunks: Buffer[] = [];
    const stop = () => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', onClose);
      socket.off('error', onClose);
    };
    const onClose = () => {
      stop();
      socket.destroy();
      reject(new Error('there was no TLS handshake'));
    };
    const timer = setTimeout(onClose, timeoutMs);
    const onReadable = () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      chunks.push(chunk);
      const decision = parser.push(chunk);
      if (decision.kind !== 'need-more') {
        stop();
        socket.unshift(Buffer.concat(chunks));
        resolve(decision.kind === 'hello' ? (decision.hello.serverName ?? undefined) : undefined);
      }
    };
    socket.on('readable', onReadable);
    socket.on('close', onClose);
    socket.on('error', onClose);
  });
}
