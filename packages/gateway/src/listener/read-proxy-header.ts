import type { Socket } from 'node:net';
import { parseProxyHeader } from '@waygate/text';

/** The addresses that a load balancer in front of us tells. */
export interface ProxiedAddresses {
  readonly sourceIp: string;
  readonly sourcePort: number;
  readonly destinationIp: string;
  readonly destinationPort: number;
}

/**
 * Waits for the header of a new connection and puts back what follows it. Rejects, and closes the
 * connection, on anything else or when the header takes too long.
 */
export function readProxyHeader(
  socket: Socket,
  timeoutMs: number,
): Promise<ProxiedAddresses | undefined> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      clearTimeout(timer);
      socket.off('readable', onReadable);
      socket.off('close', onClose);
      socket.off('error', onClose);
    };
    const refuse = (error: Error) => {
      stop();
      // What was sent is not read: nobody may take it for received.
      socket.resetAndDestroy();
      reject(error);
    };
    const timer = setTimeout(() => refuse(new Error('no PROXY header in time')), timeoutMs);
    const onClose = () => refuse(new Error('closed before its PROXY header was complete'));
    const onReadable = () => {
      const chunk = socket.read() as Buffer | null;
      if (chunk === null) return;
      bytes = Buffer.concat([bytes, chunk]);
      const decision = parseProxyHeader(bytes);
      if (decision.kind === 'absent' || decision.kind === 'malformed') {
        refuse(new Error('no PROXY protocol header'));
      } else if (decision.kind === 'header') {
        stop();
        socket.unshift(bytes.subarray(decision.length));
        const { ends } = decision.header;
        resolve(
          ends && {
            sourceIp: ends.sourceAddress,
            sourcePort: ends.sourcePort,
            destinationIp: ends.destinationAddress,
            destinationPort: ends.destinationPort,
          },
        );
      }
    };
    socket.on('readable', onReadable);
    socket.on('close', onClose);
    socket.on('error', onClose);
  });
}
