import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { LinkedSignal } from './linked-signal.ts';
import { isSocks, tunnel } from './proxy-tunnel.ts';

/** How a server is known, and how this side makes itself known. */
export interface HttpTls {
  /** Trusted instead of what the machine trusts; PEM. */
  readonly ca?: string | Buffer | readonly string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name to verify instead of the host's own. */
  readonly serverName?: string | undefined;
  /** Whoever answers is taken for the server. Only when the user said so by name. */
  readonly isUnverified?: boolean | undefined;
  /** What is in `ca` is trusted as it stands, an authority or the certificate itself. */
  readonly trustsLeaf?: boolean | undefined;
}

interface DialOptions {
  readonly tls?: HttpTls | undefined;
  readonly proxy?: URL | undefined;
  /** For all of it: the connection, the proxy's word, the handshake. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Of an earlier connection to the same server with the same settings. */
  readonly session?: Buffer | undefined;
  readonly onSession?: ((session: Buffer) => void) | undefined;
}

/** TCP's own probes find a peer that is gone; Node then tries ten times, a second apart. */
const keepAliveDelayMs = 30_000;

/**
 * So much of an answer is read ahead of its reader. With Node's own 16 KiB a stream of events is stopped
 * and started again every few of them (`npm run bench -- informer`, burst).
 */
const readAhead = { readableHighWaterMark: 64 * 1024, highWaterMark: 64 * 1024 };

/** A connection to the server at an address, ready to speak: through a proxy and with TLS as asked. */
export async function dial(server: URL, options: DialOptions): Promise<Socket> {
  const { proxy, tls } = options;
  const linked = new LinkedSignal(options.signal, options.timeoutMs);
  const { signal } = linked;
  try {
    signal.throwIfAborted();
    let socket: Socket;
    if (proxy === undefined) socket = await connected(server, signal);
    else {
      socket = await connected(proxy, signal);
      if (proxy.protocol === 'https:') socket = await secured(socket, proxy, {}, signal);
      await during(socket, signal, () => tunnel(socket, proxy, endOf(server)));
    }
    return server.protocol === 'https:'
      ? await secured(socket, server, options, signal, tls)
      : socket;
  } finally {
    linked.release();
  }
}

function endOf(url: URL): { host: string; port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const usual = url.protocol === 'https:' ? 443 : isSocks(url) ? 1080 : 80;
  return { host, port: Number(url.port) || usual };
}

async function connected(url: URL, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ ...endOf(url), ...readAhead, noDelay: true });
  await during(socket, signal, () => happens(socket, 'connect'));
  return socket.setKeepAlive(true, keepAliveDelayMs);
}

async function secured(
  socket: Socket,
  url: URL,
  { session, onSession }: Pick<DialOptions, 'session' | 'onSession'>,
  signal: AbortSignal,
  tls: HttpTls = {},
): Promise<TLSSocket> {
  const { host } = endOf(url);
  const name = (tls.serverName ?? host).replace(/^\[|\]$/g, '');
  const { ca } = tls;
  const secure = connectTls({
    socket,
    // What the certificate has to be for, when there is no name.
    host,
    servername: isIP(name) === 0 ? name : '',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: tls.isUnverified !== true,
    ...readAhead,
    ...(ca === undefined
      ? {}
      : { ca: typeof ca === 'string' || Buffer.isBuffer(ca) ? ca : [...ca] }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.trustsLeaf === true ? { allowPartialTrustChain: true } : {}),
    ...(session === undefined ? {} : { session }),
  });
  if (onSession !== undefined) secure.on('session', onSession);
  await during(secure, signal, () => happens(secure, 'secureConnect'));
  return secure;
}

/** A step on the way. Whatever goes wrong, or a signal, ends the socket with it. */
async function during(
  socket: Socket,
  signal: AbortSignal,
  step: () => Promise<void>,
): Promise<void> {
  const onAbort = () => socket.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await step();
    signal.throwIfAborted();
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function happens(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
      done();
    };
    const onEvent = () => settle(resolve);
    // Several addresses were tried: the first error says as much as all of them.
    const onError = (error: Error & { readonly errors?: readonly Error[] }) =>
      settle(() => reject(error.message === '' ? (error.errors?.[0] ?? error) : error));
    const onClose = () => settle(() => reject(new Error('the connection was closed')));
    socket.on(event, onEvent).on('error', onError).on('close', onClose);
  });
}
