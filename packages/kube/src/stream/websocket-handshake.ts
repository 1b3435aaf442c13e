import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { KubeError } from '../error.ts';
import type { HttpHeaders, HttpRequest } from '../transport/http.ts';
import { errorOfResponse } from '../transport/response-error.ts';
import type { Transport } from '../transport/transport.ts';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_HEAD = 64 * 1024;
const MAX_REFUSAL = 1024 * 1024;

export interface UpgradedSocket {
  readonly socket: Socket;
  /** The subprotocol that the server chose. */
  readonly protocol: string;
  /** Bytes that came with the answer and belong to the first frames. */
  readonly rest: Buffer;
}

/** Opens a WebSocket at a path of the API; what the API says against it is thrown as its error. */
export async function openWebSocket(
  transport: Transport,
  path: string,
  protocols: readonly string[],
  signal: AbortSignal,
): Promise<UpgradedSocket> {
  const request: HttpRequest = { method: 'GET', path, signal };
  let socket: Socket | undefined;
  const onAbort = () => socket?.destroy(signal.reason);
  try {
    signal.throwIfAborted();
    const { credentials, headers } = await transport.authenticate(signal);
    socket = await transport.connections.dial(credentials);
    signal.addEventListener('abort', onAbort, { once: true });
    signal.throwIfAborted();
    const key = randomBytes(16).toString('base64');
    const url = new URL(transport.connections.origin);
    socket.write(
      headOf(`${transport.connections.pathPrefix}${path}`, {
        host: url.host,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
        'sec-websocket-protocol': protocols.join(', '),
        ...headers,
      }),
    );
    const answer = await readHead(socket);
    if (answer.statusCode !== 101) throw await refusal(request, socket, answer);
    checkAnswer(answer.headers, key, protocols);
    const protocol = String(answer.headers['sec-websocket-protocol'] ?? '');
    return { socket, protocol, rest: answer.rest };
  } catch (error) {
    socket?.destroy();
    throw transport.wrap(error, request);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function headOf(path: string, headers: HttpHeaders): string {
  const lines = [`GET ${path} HTTP/1.1`];
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined) continue;
      if (/[\r\n]/.test(one))
        throw new KubeError('WG_KUBE_CONFIG', `the header ${name} has a line break`);
      lines.push(`${name}: ${one}`);
    }
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

interface AnswerHead {
  readonly statusCode: number;
  readonly headers: HttpHeaders;
  readonly rest: Buffer;
}

async function readHead(socket: Socket): Promise<AnswerHead> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0) return parseHead(bytes.toString('latin1', 0, end), bytes.subarray(end + 4));
    if (bytes.length > MAX_HEAD)
      throw new KubeError('WG_KUBE_DECODE', 'an answer with too long a head');
    bytes = Buffer.concat([bytes, await nextChunk(socket)]);
  }
}

function parseHead(text: string, rest: Buffer): AnswerHead {
  const [line = '', ...lines] = text.split('\r\n');
  const statusCode = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(statusCode))
    throw new KubeError('WG_KUBE_DECODE', 'the server does not speak HTTP');
  const headers: HttpHeaders = {};
  for (const one of lines) {
    const colon = one.indexOf(':');
    if (colon > 0) headers[one.slice(0, colon).toLowerCase()] = one.slice(colon + 1).trim();
  }
  return { statusCode, headers, rest };
}

/** The next bytes of a socket that is paused otherwise. */
function nextChunk(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      socket.pause();
      done(() => resolve(chunk));
    };
    const onEnd = () =>
      done(() =>
        reject(
          Object.assign(new Error('the server closed the connection'), { code: 'ECONNRESET' }),
        ),
      );
    const onError = (error: Error) => done(() => reject(error));
    const done = (settle: () => void) => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      settle();
    };
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    socket.resume();
  });
}

async function refusal(
  request: HttpRequest,
  socket: Socket,
  answer: AnswerHead,
): Promise<KubeError> {
  const declared = Number(answer.headers['content-length'] ?? Number.NaN);
  const wanted = Number.isNaN(declared) ? MAX_REFUSAL : Math.min(declared, MAX_REFUSAL);
  let body = answer.rest;
  while (body.length < wanted) {
    const chunk = await nextChunk(socket).catch(() => undefined);
    if (chunk === undefined) break;
    body = Buffer.concat([body, chunk]);
    // A chunked body has its last piece marked; what stands before is JSON either way.
    if (Number.isNaN(declared) && body.includes('\r\n0\r\n\r\n')) break;
  }
  const json = body.subarray(Math.max(0, body.indexOf('{')), body.lastIndexOf('}') + 1);
  const content = json.length > 0 ? json : body;
  const { statusCode, headers } = answer;
  return errorOfResponse(
    request,
    { statusCode, headers, body: Readable.from([content]) },
    Date.now,
  );
}

function checkAnswer(headers: HttpHeaders, key: string, protocols: readonly string[]): void {
  const expected = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  if (headers['sec-websocket-accept'] !== expected) {
    throw new KubeError('WG_KUBE_DECODE', 'the server did not answer the WebSocket handshake');
  }
  const protocol = headers['sec-websocket-protocol'];
  if (protocol !== undefined && !protocols.includes(String(protocol))) {
    throw new KubeError(
      'WG_KUBE_DECODE',
      `the server chose the protocol ${String(protocol).slice(0, 80)}`,
    );
  }
}
