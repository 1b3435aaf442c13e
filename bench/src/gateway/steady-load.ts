import { connect } from 'node:net';

/** What became of the requests. */
export interface SteadyResult {
  readonly requests: number;
  /** How often each status came. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that ended with a request under way, and answers that broke off. */
  readonly broken: number;
  /** Milliseconds. */
  readonly p99: number;
}

/** Latencies are counted in tenths of a millisecond, so that ten minutes of them take no memory. */
const bucketCount = 100_000;

/**
 * Requests as fast as they are answered, on so many connections. A connection that breaks is counted and
 * opened again.
 */
export class SteadyLoad {
  readonly #port: number;
  readonly #requests: readonly string[];
  readonly #buckets = new Uint32Array(bucketCount);
  readonly #statuses = new Map<string, number>();
  #count = 0;
  #broken = 0;
  #isEnding = false;

  constructor(port: number, requests: readonly string[]) {
    this.#port = port;
    this.#requests = requests;
  }

  get failures(): number {
    return this.#broken + this.#count - (this.#statuses.get('200') ?? 0);
  }

  async run(connections: number, durationMs: number): Promise<SteadyResult> {
    const timer = setTimeout(() => {
      this.#isEnding = true;
    }, durationMs);
    await Promise.all(Array.from({ length: connections }, (_, index) => this.#client(index)));
    clearTimeout(timer);
    return {
      requests: this.#count,
      statuses: Object.fromEntries(this.#statuses),
      broken: this.#broken,
      p99: this.#percentile(0.99),
    };
  }

  async #client(index: number): Promise<void> {
    let turn = index;
    while (!this.#isEnding) {
      turn = await this.#connection(turn);
    }
  }

  #connection(start: number): Promise<number> {
    return new Promise((resolve) => {
      let turn = start;
      let received: Buffer = Buffer.alloc(0);
      let sentAt = 0;
      let isWaiting = false;
      const socket = connect(this.#port, '127.0.0.1');
      const send = () => {
        if (this.#isEnding) {
          socket.end();
          return;
        }
        turn += 1;
        sentAt = performance.now();
        isWaiting = true;
        received = Buffer.alloc(0);
        socket.write(this.#requests[turn % this.#requests.length] ?? '');
      };
      socket.setNoDelay(true);
      socket.on('connect', send);
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const head = completeHead(received);
        if (head === undefined) return;
        isWaiting = false;
        this.#record(head.status, performance.now() - sentAt);
        if (head.isLast) socket.end();
        else send();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (isWaiting) this.#broken += 1;
        resolve(turn);
      });
    });
  }

  #record(status: string, ms: number): void {
    this.#count += 1;
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    const bucket = Math.min(Math.floor(ms * 10), bucketCount - 1);
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  #percentile(part: number): number {
    let left = this.#count * part;
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      left -= this.#buckets[bucket] ?? 0;
      if (left <= 0) return bucket / 10;
    }
    return bucketCount / 10;
  }
}

/** The status of an answer that is complete; answers must state their length. */
function completeHead(received: Buffer): { status: string; isLast: boolean } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < end + 4 + length) return undefined;
  return { status: head.slice(9, 12), isLast: /connection: *close/i.test(head) };
}
