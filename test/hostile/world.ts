import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { type Running, start, waygate } from '../real/processes.ts';

/** What an answer of the API or the gateway was; status 0 when there was none. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Call {
  readonly body?: string | Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A `waygate up` seen from outside, as tenants, clients and their victim see it. */
export class World {
  readonly stack: Running;
  readonly gateway: { readonly host: string; readonly port: number };
  readonly adminPort: number;
  readonly adminToken: string;
  readonly kubeconfig: string;
  readonly #api: URL;
  readonly #agent: Agent;
  readonly #token: string;
  readonly #ca: Buffer;
  /** How many calls of the API ended how: without this, attacks that do nothing would look harmless. */
  readonly tally = new Map<string, number>();

  private constructor(stack: Running) {
    const output = stack.output();
    this.stack = stack;
    this.kubeconfig = /KUBECONFIG=(\S+)/.exec(output)![1]!;
    const config = readFileSync(this.kubeconfig, 'utf8');
    const field = (name: string): string => new RegExp(`${name}: "?([^"\\s]+)`).exec(config)![1]!;
    this.#api = new URL(field('server'));
    this.#token = field('token');
    this.#ca = Buffer.from(field('certificate-authority-data'), 'base64');
    this.#agent = new Agent({ ca: this.#ca, keepAlive: true, maxSockets: 16 });
    const port = (what: RegExp): number => Number(what.exec(output)![1]);
    this.gateway = { host: '127.0.0.1', port: port(/Gateway\s+http:\/\/[\d.]+:(\d+)/) };
    this.adminPort = port(/Admin API\s+http:\/\/[\d.]+:(\d+)/);
    const tokenFile = /token in (\S+)/.exec(output)![1]!;
    this.adminToken = readFileSync(tokenFile, 'utf8').trim();
  }

  /** What another process needs to call the API. */
  get access(): { readonly port: number; readonly token: string; readonly ca: string } {
    return { port: this.apiPort, token: this.#token, ca: this.#ca.toString() };
  }

  get apiPort(): number {
    return Number(this.#api.port);
  }

  static async start(args: readonly string[]): Promise<World> {
    const stack = start(process.execPath, [waygate, 'up', ...args]);
    const until = Date.now() + 180_000;
    while (!stack.output().includes('What changes')) {
      if (stack.process.exitCode !== null || Date.now() > until) {
        await stack.stop('SIGKILL');
        throw new Error(`waygate up did not start:\n${stack.output()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return new World(stack);
  }

  async stop(): Promise<number | null> {
    this.#agent.destroy();
    return this.stack.stop('SIGTERM');
  }

  get isAlive(): boolean {
    return this.stack.process.exitCode === null && this.stack.process.signalCode === null;
  }

  /** A call of the Kubernetes API. */
  api(method: string, path: string, body?: object | string, call: Call = {}): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...call.headers,
    };
    const { hostname, port } = this.#api;
    const options = { hostname, port, method, path, headers, agent: this.#agent };
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = httpsRequest({ ...options, ...signalOf(call) });
    return finish(sent, { ...call, body: text }).then((answer) => {
      const key = `${method} ${answer.status}`;
      this.tally.set(key, (this.tally.get(key) ?? 0) + 1);
      return answer;
    });
  }

  /** Server-side apply, as a tenant's deployment does. */
  async apply(path: string, object: object, call: Call = {}): Promise<Answer> {
    return this.api('PATCH', `${path}?fieldManager=test&force=true`, object, call);
  }

  /** A request through the gateway, on a connection of its own. */
  ask(path: string, headers: Readonly<Record<string, string>>, call: Call = {}): Promise<Answer> {
    const method = call.body === undefined ? 'GET' : 'POST';
    const options = { ...this.gateway, method, path, headers, agent: false as const };
    return finish(httpRequest({ ...options, ...signalOf(call) }), call);
  }
}

function signalOf({ signal }: Call): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** An attacker expects nothing: no answer is an answer, with the status 0. */
function finish(request: ReturnType<typeof httpRequest>, call: Call): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ status: 0, text: error.message });
    request.setTimeout(call.timeoutMs ?? 30_000, () => request.destroy(new Error('timed out')));
    request.once('error', fail);
    request.once('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', fail);
      response.once('aborted', () => fail(new Error('the answer was cut')));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.end(call.body);
  });
}
