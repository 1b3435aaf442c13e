import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, type RunningApiServer } from '@waygate/apiserver';
import { difference, firstDifference } from './apiserver-compare.ts';
import { HookServer, recordedHookAddress } from './apiserver-hooks.ts';
import { mask } from './apiserver-mask.ts';
import {
  type ActualResponse,
  atPointer,
  type RecordedExchange,
  setAtPointer,
  type Transcript,
  type WatchLine,
} from './apiserver-transcript.ts';

const pollTimeoutMs = 8000;
const watchGraceMs = 4000;

/** Plays one transcript against a server of its own, exchange by exchange. */
export class Player {
  readonly #transcript: Transcript;
  #server: RunningApiServer | undefined;
  #hooks: HookServer | undefined;
  #dataDir: string | undefined;
  readonly #actual: (ActualResponse | undefined)[] = [];
  readonly #outcomes: (string | undefined)[] = [];
  readonly #watches = new Map<number, OpenWatch>();
  /** Tokens in the recording, and those that stand for them here. */
  readonly #tokens = new Map<string, string>();
  #next = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** What was different in an exchange; everything before it is played first. */
  async play(index: number): Promise<string | undefined> {
    await this.#start();
    while (
      this.#next <= index ||
      (this.#watches.has(index) && this.#next <= this.#lastUse(index))
    ) {
      const current = this.#next++;
      await this.#step(current);
    }
    const watch = this.#watches.get(index);
    if (watch !== undefined) {
      this.#watches.delete(index);
      const actual = await watch.finish();
      this.#actual[index] = actual;
      this.#outcomes[index] = difference(this.#exchange(index), actual);
    }
    return this.#outcomes[index];
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches.values()) await watch.finish();
    await this.#server?.stop();
    await this.#hooks?.stop();
    if (this.#dataDir !== undefined) await rm(this.#dataDir, { recursive: true, force: true });
  }

  #exchange(index: number): RecordedExchange {
    return this.#transcript.exchanges[index] as RecordedExchange;
  }

  async #start(): Promise<void> {
    if (this.#server !== undefined) return;
    const second = Math.floor(Date.now() / 1000) * 1000;
    const options = {
      insecure: true,
      // One moment for the whole play: a time that a request quotes is the same wherever it came from.
      now: () => second,
      log: () => undefined,
      // The recorded cluster had no quota controller.
      countsQuotas: false,
      // The users of the recording.
      tokens: [
        {
          token: 'token-of-admin',
          username: 'admin',
          uid: 'admin-uid',
          groups: ['system:masters'],
        },
        { token: 'token-of-alice', username: 'alice', uid: 'alice-uid', groups: ['dev'] },
      ],
    };
    this.#hooks = await HookServer.start();
    if (this.#transcript.theme !== 'after-restart') {
      this.#server = await new ApiServer(options).start();
      return;
    }
    this.#dataDir = await mkdtemp(join(tmpdir(), 'waygate-conformance-'));
    const first = new ApiServer({ ...options, dataDir: this.#dataDir });
    const running = await first.start();
    first.compact();
    await running.stop();
    this.#server = await new ApiServer({ ...options, dataDir: this.#dataDir }).start();
  }

  async #step(index: number): Promise<void> {
    const exchange = this.#exchange(index);
    if (exchange.request === undefined) return;
    if (exchange.response?.events !== undefined) {
      const watch = await OpenWatch.open(this.#requestOf(exchange), exchange);
      this.#watches.set(index, watch);
      if (this.#lastUse(index) > index) return;
      this.#watches.delete(index);
      this.#actual[index] = await watch.finish();
      this.#outcomes[index] = difference(exchange, this.#actual[index] as ActualResponse);
      return;
    }
    const deadline = Date.now() + (exchange.polled === true ? pollTimeoutMs : 0);
    for (;;) {
      this.#hooks?.expect(exchange.webhookCalls ?? []);
      const actual = await send(this.#requestOf(exchange));
      this.#actual[index] = this.#restoreHookAddress(actual);
      this.#learnTokens(exchange, actual);
      this.#outcomes[index] =
        difference(exchange, this.#actual[index] as ActualResponse) ??
        this.#hookDifference(exchange);
      if (this.#outcomes[index] === undefined || Date.now() >= deadline) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The last exchange that was played while a watch was open. */
  #lastUse(index: number): number {
    const { name } = this.#exchange(index);
    let last = index;
    for (const [at, other] of this.#transcript.exchanges.entries()) {
      const open = other.whileWatching;
      const names = open === undefined ? [] : typeof open === 'string' ? [open] : open;
      if (at > index && names.includes(name)) last = at;
    }
    return last;
  }

  #requestOf(exchange: RecordedExchange): PlayRequest {
    const request = exchange.request as NonNullable<RecordedExchange['request']>;
    const body = structuredClone(request.body);
    let { path } = request;
    for (const ref of request.refs ?? []) {
      const value = atPointer(this.#source(ref.fromIndex), ref.pointer);
      if (value === undefined) continue;
      if (ref.in === 'body') setAtPointer(body, ref.at ?? '', value);
      else if (ref.in === 'query') path = withParameter(path, ref.param ?? '', String(value));
      else {
        const recorded = atPointer(this.#recordedSource(ref.fromIndex), ref.pointer);
        path = path.replace(
          encodeURIComponent(String(recorded)),
          encodeURIComponent(String(value)),
        );
      }
    }
    path = this.#withHash(path);
    let text = request.bodyText ?? (body === undefined ? undefined : JSON.stringify(body));
    if (text !== undefined && this.#hooks !== undefined) {
      text = text.replaceAll(recordedHookAddress, `127.0.0.1:${this.#hooks.port}`);
      text = text.replaceAll(/"caBundle":"LS0t[^"]*"/g, `"caBundle":"${this.#hooks.caBundle}"`);
    }
    const headers: Record<string, string> = { ...request.headers };
    const authorization = headers.Authorization;
    if (authorization !== undefined) headers.Authorization = this.#authorization(authorization);
    text = text
      ?.replaceAll('<token:admin>', 'token-of-admin')
      .replaceAll('<token:alice>', 'token-of-alice');
    return { url: this.#server?.url ?? '', method: request.method, path, headers, text };
  }

  /** The hash of a document is named by the index: ours stands for the recorded one. */
  #withHash(path: string): string {
    const match = /^\/openapi\/v3\/(.+)\?hash=([0-9A-F]{16,})$/.exec(path);
    if (match === null) return path;
    for (const actual of this.#actual) {
      const index = atPointer(actual?.body, '/paths') as
        | Record<string, { serverRelativeURL: string }>
        | undefined;
      const found = index?.[match[1] as string]?.serverRelativeURL;
      if (found !== undefined) return found;
    }
    return path;
  }

  #authorization(recorded: string): string {
    const token = recorded.replace(/^Bearer /, '');
    if (token === '<token:admin>') return 'Bearer token-of-admin';
    if (token === '<token:alice>') return 'Bearer token-of-alice';
    return recorded.startsWith('Bearer ') ? `Bearer ${this.#tokens.get(token) ?? token}` : recorded;
  }

  #learnTokens(exchange: RecordedExchange, actual: ActualResponse): void {
    const recorded = atPointer(exchange.response?.body, '/status/token');
    const here = atPointer(actual.body, '/status/token');
    if (typeof recorded === 'string' && typeof here === 'string') this.#tokens.set(recorded, here);
  }

  #source(index: number): unknown {
    const actual = this.#actual[index];
    if (actual === undefined) return this.#watches.get(index)?.snapshot();
    return this.#exchange(index).response?.events === undefined
      ? actual.body
      : { events: actual.events };
  }

  #recordedSource(index: number): unknown {
    const recorded = this.#exchange(index).response;
    return recorded?.events === undefined ? recorded?.body : recorded;
  }

  /** Messages name the hook's address: the recorded one is put back for the comparison. */
  #restoreHookAddress(actual: ActualResponse): ActualResponse {
    if (this.#hooks === undefined) return actual;
    const here = `127.0.0.1:${this.#hooks.port}`;
    if (!actual.text.includes(here)) return actual;
    const text = actual.text.replaceAll(here, recordedHookAddress);
    return { ...actual, text, body: JSON.parse(text) };
  }

  #hookDifference(exchange: RecordedExchange): string | undefined {
    const recorded = exchange.webhookCalls ?? [];
    const calls = this.#hooks?.calls ?? [];
    if (recorded.length !== calls.length) {
      return `${calls.length} webhook calls instead of ${recorded.length}`;
    }
    const options = { sortsItems: false, requestBody: undefined };
    for (const [index, call] of recorded.entries()) {
      const got = calls[index];
      if (got?.path !== call.path) return `webhook call to ${got?.path} instead of ${call.path}`;
      const found = firstDifference(
        mask(call.body, options),
        mask(got?.body, options),
        `webhook call ${index}`,
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

interface PlayRequest {
  readonly url: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

function withParameter(path: string, name: string, value: string): string {
  const [base, query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${base}?${parameters}`;
}

function open(play: PlayRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const url = new URL(play.url);
    const headers: Record<string, string> = { ...play.headers };
    if (play.text !== undefined) headers['Content-Length'] = String(Buffer.byteLength(play.text));
    const request = httpRequest(
      {
        host: url.hostname,
        port: url.port,
        method: play.method,
        path: play.path,
        headers,
        agent: false,
      },
      resolve,
    );
    request.on('error', reject);
    request.end(play.text);
  });
}

async function send(play: PlayRequest): Promise<ActualResponse> {
  const response = await open(play);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const isBinary = String(response.headers['content-type'] ?? '').includes('protobuf');
  const text = bytes.toString(isBinary ? 'latin1' : 'utf8');
  return { ...headOf(response), text, body: parse(text), events: [] };
}

function headOf(response: IncomingMessage): Pick<ActualResponse, 'status' | 'headers'> {
  const headers: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    if (values !== undefined) headers[name] = values;
  }
  return { status: response.statusCode ?? 0, headers };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A watch that runs beside the exchanges. */
class OpenWatch {
  readonly #response: IncomingMessage;
  readonly #expected: RecordedExchange;
  readonly #events: WatchLine[] = [];
  #rest = '';
  readonly #ended: Promise<void>;

  private constructor(response: IncomingMessage, expected: RecordedExchange) {
    this.#response = response;
    this.#expected = expected;
    response.on('data', (chunk: Buffer) => this.#onData(chunk.toString('utf8')));
    this.#ended = new Promise((resolve) => {
      response.on('close', resolve);
      response.on('error', () => resolve());
    });
  }

  static async open(play: PlayRequest, expected: RecordedExchange): Promise<OpenWatch> {
    return new OpenWatch(await open(play), expected);
  }

  snapshot(): unknown {
    return { events: this.#events };
  }

  /** Waits for the recorded number of events or for the server to end the stream. */
  async finish(): Promise<ActualResponse> {
    const recorded = this.#expected.response;
    const count = recorded?.events?.length ?? 0;
    if (recorded?.closedBy === 'server') await this.#end();
    else {
      const deadline = Date.now() + watchGraceMs;
      while (this.#events.length < count && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      // One event too many would come right behind.
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    this.#response.destroy();
    const body = parse(this.#rest);
    return { ...headOf(this.#response), text: this.#rest, body, events: this.#events };
  }

  /** The end of the stream, or the time by which the server should have ended it. */
  async #end(): Promise<void> {
    const query = new URLSearchParams(this.#expected.request?.path.split('?')[1] ?? '');
    const seconds = Number(query.get('timeoutSeconds') ?? 3);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000 + 1500);
    });
    await Promise.race([this.#ended, late]);
    clearTimeout(timer);
  }

  #onData(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      const line = parse(this.#rest.slice(0, end)) as WatchLine | undefined;
      if (line?.type === undefined) return;
      this.#events.push(line);
      this.#rest = this.#rest.slice(end + 1);
    }
  }
}
