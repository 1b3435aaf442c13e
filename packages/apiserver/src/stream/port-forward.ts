import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SpdyConnection, type SpdyStream } from './spdy-connection.ts';

export const portForwardProtocol = 'portforward.k8s.io';

/** Reaches a port of the pod. */
type PortDialer = (port: number) => Promise<Duplex>;

/**
 * Carries the connections of a `kubectl port-forward`: for each, the client opens a stream for errors and
 * one for data, which name the port and bear one number.
 */
export async function forwardPorts(socket: Duplex, head: Buffer, dial: PortDialer): Promise<void> {
  const waiting = new Map<string, SpdyStream>();
  const connection = new SpdyConnection(socket, (stream) => {
    const id = stream.headers.get('requestid') ?? '';
    const partner = waiting.get(id);
    if (partner === undefined) {
      waiting.set(id, stream);
      return;
    }
    waiting.delete(id);
    const isData = stream.headers.get('streamtype') === 'data';
    const [data, errors] = isData ? [stream, partner] : [partner, stream];
    void carry(data, errors, dial);
  });
  await connection.run(head);
}

async function carry(data: SpdyStream, errors: SpdyStream, dial: PortDialer): Promise<void> {
  const port = Number(data.headers.get('port'));
  try {
    const target = await dial(port);
    // Each way ends by itself: a client that has sent all still waits for the answer.
    await Promise.all([
      pipeline(data.body, target, { end: true }),
      pipeline(target, data.body, { end: true }),
    ]).finally(() => target.destroy());
  } catch (error) {
    if (errors.body.writable) errors.body.write((error as Error).message);
  } finally {
    if (data.body.writable) data.body.end();
    errors.body.end();
  }
}
