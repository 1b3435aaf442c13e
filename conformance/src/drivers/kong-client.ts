import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A request written by hand: clients that are too polite cannot send all that was recorded. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
  readonly port: number;
  readonly isTls: boolean;
  readonly sni?: string | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends one request on a connection of its own and reads the answer to its end. */
export function sendRaw(request: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket: Socket = request.isTls
      ? connectTls({
          host: '127.0.0.1',
          port: request.port,
          rejectUnauthorized: false,
          ALPNProtocols: ['http/1.1'],
          ...(request.sni === undefined ? {} : { servername: request.sni }),
        })
      : connect(request.port, '127.0.0.1');
    let bytes = Buffer.alloc(0);
    const done = () => {
      try {
        resolve(parseAnswer(bytes));
      } catch (error) {
        reject(error);
      }
    };
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer in time')));
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (isComplete(bytes)) socket.end();
    });
    socket.on('close', done);
    socket.write(toBytes(request));
  });
}

function toBytes({ method, path, host, headers, body }: RawRequest): Buffer {
  const isNamed = (name: string) => headers.some(([own]) => own.toLowerCase() === name);
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`];
  lines.push(...headers.map(([name, value]) => `${name}: ${value}`));
  if (!isNamed('connection')) lines.push('Connection: close');
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  if (isNamed('connection')) lines.push('Connection: close');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'utf8');
}

/** Whether an answer with a stated length is all there. Others end with their connection. */
function isComplete(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  const isFinal = !/^HTTP\/1\.1 1\d\d/.test(head);
  return isFinal && length !== undefined && bytes.length >= end + 4 + Number(length);
}

function parseAnswer(bytes: Buffer): RawAnswer {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', start);
    if (end === -1) throw new Error('the connection was closed without an answer');
    const [first = '', ...lines] = bytes.toString('latin1', start, end).split('\r\n');
    const status = Number(first.split(' ')[1]);
    start = end + 4;
    if (status < 200) continue;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    const rest = bytes.subarray(start);
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    return { status, headers, body: isChunked ? unchunk(rest) : rest.toString('utf8') };
  }
}

function unchunk(bytes: Buffer): string {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (end === -1 || !(size > 0)) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
