import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { listenOn } from '@waygate/text';
import { KubeError } from '../error.ts';
import type { Transport } from '../transport/transport.ts';
import { ChannelSocket } from './channel-socket.ts';
import { openWebSocket } from './websocket-handshake.ts';

const data = 0;
const errorChannel = 1;
const protocols = ['v4.channel.k8s.io'];

/** One connection to a port of a Pod. The first two bytes of each channel repeat the port. */
export async function openPort(
  transport: Transport,
  path: string,
  signal: AbortSignal,
): Promise<Duplex> {
  const upgraded = await openWebSocket(transport, path, protocols, signal);
  const headers = [2, 2];
  let complaint = '';
  const stream = new Duplex({
    read: () => channels.resume(),
    write: (chunk: Buffer, _encoding, callback) => channels.send(data, chunk, callback),
    final: (callback) => {
      // The protocol has no half-close: what is still to come is read until the Pod is done.
      callback();
    },
    destroy: (error, callback) => {
      channels.close();
      callback(error);
    },
  });
  const channels = new ChannelSocket(upgraded, {
    onMessage: (channel, payload) => {
      const skipped = Math.min(headers[channel] ?? 0, payload.length);
      headers[channel] = (headers[channel] ?? 0) - skipped;
      const content = payload.subarray(skipped);
      if (content.length === 0) return true;
      if (channel === data) return stream.push(content);
      if (channel === errorChannel)
        complaint = (complaint + content.toString('utf8')).slice(0, 4096);
      return true;
    },
    onClose: (error) => {
      const onAbortError =
        complaint === '' ? error : new KubeError('WG_KUBE_API', complaint.trim());
      if (onAbortError === undefined) stream.push(null);
      else stream.destroy(onAbortError);
    },
  });
  const onAbort = () => channels.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', onAbort));
  return stream;
}

/**
 * A local port whose connections go to a port of a Pod.
 *
 * ```ts
 * const forwarder = await client.pod('shop', 'web-0').portForward(8080);
 * console.log(await (await fetch(`http://127.0.0.1:${forwarder.port}/healthz`)).text());
 * await forwarder.close();
 * ```
 */
export class PortForwarder {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #controller = new AbortController();

  private constructor(
    open: (signal: AbortSignal) => Promise<Duplex>,
    onError: (error: unknown) => void,
  ) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {});
      open(this.#controller.signal).then(
        (stream) => {
          stream.on('error', (error) => {
            onError(error);
            socket.destroy();
          });
          socket.on('close', () => stream.destroy());
          socket.pipe(stream).pipe(socket);
        },
        (error: unknown) => {
          onError(error);
          socket.destroy();
        },
      );
    });
  }

  static async listen(
    open: (signal: AbortSignal) => Promise<Duplex>,
    options: {
      readonly port: number;
      readonly host: string;
      readonly onError: (error: unknown) => void;
    },
  ): Promise<PortForwarder> {
    const forwarder = new PortForwarder(open, options.onError);
    await listenOn(forwarder.#server, { host: options.host, port: options.port });
    return forwarder;
  }

  /** The local port. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#controller.abort(new KubeError('WG_KUBE_CONNECTION', 'the port forward is closed'));
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
