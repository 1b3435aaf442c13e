import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A steady load: so many connections, each with one request under way. */
export interface Load {
  readonly port: number;
  readonly isTls: boolean;
  readonly request: string;
  readonly connections: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p99: number;
  readonly failures: number;
}

/** Sends requests as fast as they are answered. Answers must state their length. */
export async function run(load: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  let bytes = 0;
  let failures = 0;
  const startedAt = performance.now();
  const endAt = startedAt + load.durationMs;
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const socket: Socket = load.isTls
        ? connectTls({ host: '127.0.0.1', port: load.port, rejectUnauthorized: false })
        : connect(load.port, '127.0.0.1');
      let received = Buffer.alloc(0);
      let missing = -1;
      let sentAt = 0;
      const send = () => {
        sentAt = performance.now();
        received = Buffer.alloc(0);
        missing = -1;
        socket.write(load.request);
      };
      socket.on(load.isTls ? 'secureConnect' : 'connect', send);
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (missing < 0) {
          received = Buffer.concat([received, chunk]);
          const end = received.indexOf('\r\n\r\n');
          if (end === -1) return;
          const head = received.toString('latin1', 0, end);
          const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
          if (!head.startsWith('HTTP/1.1 200')) failures += 1;
          missing = length - (received.length - end - 4);
        } else {
          missing -= chunk.length;
        }
        if (missing > 0) return;
        const now = performance.now();
        latencies.push(now - sentAt);
        if (now < endAt) send();
        else socket.end();
      });
      socket.on('error', () => {
        failures += 1;
        resolve();
      });
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: load.connections }, one));
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    bytes,
    seconds: (performance.now() - startedAt) / 1_000,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    failures,
  };
}
