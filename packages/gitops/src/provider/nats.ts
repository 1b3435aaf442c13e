import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { explainNetworkError, type HttpTls, isObject } from '@waygate/text';
import { DeliveryError, type Exchange } from './provider-exchange.ts';
import type { ProviderMessage, ProviderSettings, Surroundings } from './provider-message.ts';

const defaultPort = 4222;
/** What a server may say before its line ends. */
const longestLine = 64 * 1024;

/** Publishes events to a subject of a NATS server: the first of those in the address that can be reached. */
export async function sendNats(
  { event }: ProviderMessage,
  settings: ProviderSettings,
  _exchange: Exchange,
  way: Surroundings,
): Promise<void> {
  const { address, channel: subject } = settings;
  if (!/^[^\s]{1,255}$/.test(subject) || /[*>]/.test(subject))
    throw new DeliveryError('the channel is no subject that can be published to');
  const servers = address.split(',').map(serverOf);
  let failure: unknown;
  for (const server of servers) {
    try {
      await publish(server, subject, Buffer.from(JSON.stringify(event)), settings, way);
      return;
    } catch (error) {
      if (error instanceof DeliveryError && !error.isTransient) throw error;
      failure = error;
    }
  }
  throw failure;
}

function serverOf(text: string): URL {
  const whole = text.includes('://') ? text.trim() : `nats://${text.trim()}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '')
    throw new DeliveryError('the address is no nats:// or tls:// server');
  return url;
}

/** One connection, one message, and the server's word that it has it. */
async function publish(
  server: URL,
  subject: string,
  payload: Buffer,
  settings: ProviderSettings,
  { tls, signal }: Surroundings,
): Promise<void> {
  signal.throwIfAborted();
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const plain = connect({ host, port: Number(server.port || defaultPort), signal });
  // Ended by the signal too: what waits for a line hears of it.
  plain.on('error', () => {});
  let lines: ServerLines | undefined;
  try {
    lines = new ServerLines(plain);
    const info = infoOf(await lines.next());
    const isSecure = server.protocol === 'tls:' || info.tls_required === true;
    const socket = isSecure ? await secured(plain, lines, host, tls) : plain;
    if (isSecure) lines = new ServerLines(socket);
    const most = typeof info.max_payload === 'number' ? info.max_payload : Infinity;
    if (payload.length > most)
      throw new DeliveryError(`${server.host} takes messages of ${most} bytes at most`);
    socket.write(`CONNECT ${JSON.stringify(helloOf(server, settings, isSecure))}\r\n`);
    socket.write(`PUB ${subject} ${payload.length}\r\n`);
    socket.write(payload);
    // It answers in order: what came before is done then, or was refused.
    socket.write('\r\nPING\r\n');
    await untilTaken(lines, server);
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    const cause = signal.aborted ? signal.reason : error;
    throw new DeliveryError(`${server.host} could not be asked: ${explainNetworkError(cause)}`, {
      isTransient: true,
      cause: error,
    });
  } finally {
    plain.destroy();
  }
}

async function untilTaken(lines: ServerLines, server: URL): Promise<void> {
  for (;;) {
    const line = await lines.next();
    if (line.startsWith('PONG')) return;
    if (line.startsWith('-ERR'))
      throw new DeliveryError(`${server.host} refused: ${line.slice(5).trim()}`);
  }
}

function infoOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line.replace(/^INFO\s/, ''));
    if (line.startsWith('INFO') && isObject(value)) return value;
  } catch {
    // Said below: whoever answers there is no NATS server.
  }
  throw new DeliveryError('the address is that of no NATS server');
}

/** A name and a password of the Secret, or else of the address; a name alone there is a token. */
function helloOf(server: URL, { username, password, token }: ProviderSettings, isSecure: boolean) {
  const user = decodeURIComponent(server.username);
  const pass = decodeURIComponent(server.password);
  const own = username !== '' && password !== '' ? { user: username, pass: password } : undefined;
  const ofAddress = pass === '' ? { auth_token: user } : { user, pass };
  const byToken = token.trim() === '' ? undefined : { auth_token: token.trim() };
  return {
    ...{ verbose: false, pedantic: false, tls_required: isSecure, protocol: 1 },
    ...{ name: 'waygate', lang: 'node', version: '1' },
    ...(own ?? byToken ?? (user === '' ? {} : ofAddress)),
  };
}

async function secured(
  plain: Socket,
  lines: ServerLines,
  host: string,
  tls: HttpTls,
): Promise<TLSSocket> {
  lines.stop();
  const { ca, cert, key } = tls;
  const socket = connectTls({
    socket: plain,
    host,
    servername: isIP(host) === 0 ? host : '',
    ...(ca === undefined ? {} : { ca: ca as string | Buffer | string[] }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  socket.on('error', () => {});
  return socket;
}

/** What a server says, line by line. */
class ServerLines {
  readonly #socket: Socket;
  #text = '';
  #error: Error | undefined;
  #wake: () => void = () => {};
  readonly #onData = (chunk: Buffer): void => {
    this.#text += chunk.toString('utf8');
    if (this.#text.length > longestLine) this.#fail(new Error('a line is too long'));
    this.#wake();
  };
  readonly #onEnd = (): void => this.#fail(new Error('the connection was closed'));
  readonly #fail = (error: Error): void => {
    this.#error ??= error;
    this.#wake();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#onData);
    socket.on('error', this.#fail);
    socket.on('close', this.#onEnd);
  }

  async next(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf('\n');
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/\r$/, '');
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Somebody else reads on. */
  stop(): void {
    this.#socket.off('data', this.#onData);
    this.#socket.off('error', this.#fail);
    this.#socket.off('close', this.#onEnd);
  }
}
