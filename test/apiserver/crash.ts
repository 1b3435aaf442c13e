import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const token = 'crash-test-token';
export const collection = '/api/v1/namespaces/default/configmaps';

/** A server process that is ended by kill -9 only. */
export class CrashServer {
  readonly #child: ChildProcess;
  #url: Promise<string>;

  constructor() {
    const script = fileURLToPath(new URL('crash-server.mjs', import.meta.url));
    this.#child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#url = new Promise((resolve, reject) => {
      const lines = createInterface({
        input: this.#child.stdout as NonNullable<unknown> as NodeJS.ReadableStream,
      });
      lines.once('line', resolve);
      this.#child.once('exit', () => reject(new Error('the server ended before it was ready')));
    });
    // Most end without ever having been asked; that is no failure.
    this.#url.catch(() => undefined);
  }

  get processId(): number {
    return this.#child.pid as number;
  }

  serve(dataDir: string): Promise<string> {
    this.#child.stdin?.write(`${JSON.stringify({ dataDir, adminToken: token })}\n`);
    return this.#url;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}

export interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: Readonly<Record<string, string>>;
}

export interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

/** Sends one request; rejects when the server dies before the whole answer is there. */
export function send(
  agent: Agent,
  method: string,
  url: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const call = request(url, { method, headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => (text += chunk));
      answer.on('error', reject);
      answer.on('close', () => {
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) });
        else reject(new Error('the answer was cut off'));
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Follows the collection across servers, each time from the last version that it saw. */
export class Follower {
  readonly events: Event[] = [];
  #version: string;
  #answer: IncomingMessage | undefined;

  constructor(version: string) {
    this.#version = version;
  }

  get version(): number {
    return Number(this.#version);
  }

  /** Resolves when the stream is open; the stream ends with its server. */
  open(url: string): Promise<void> {
    const agent = new Agent();
    const query = `watch=true&resourceVersion=${this.#version}`;
    const headers = { Authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      const call = request(`${url}${collection}?${query}`, { headers, agent }, (answer) => {
        this.#answer = answer;
        let rest = '';
        answer.setEncoding('utf8');
        answer.on('error', () => undefined);
        answer.on('data', (chunk: string) => {
          const lines = `${rest}${chunk}`.split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) this.#take(JSON.parse(line) as Event);
        });
        resolve();
      });
      call.on('error', reject);
      call.end();
    });
  }

  close(): void {
    this.#answer?.destroy();
  }

  #take(event: Event): void {
    this.events.push(event);
    this.#version = event.object.metadata.resourceVersion;
  }
}
