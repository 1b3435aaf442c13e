import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from './free-port.ts';
import { type RecordedAnswer, readRecording } from './recording.ts';
import type { StubAnswer, StubTask, Task, TaskState } from './task.ts';
import type { RunnerHooks, TaskRunner } from './task-runner.ts';

/** What an echo shows of a body at most. */
const mostBodyBytes = 1024 * 1024;

/** Answers requests without a program: with what was asked, with what was written, or as recorded. */
export class StubRunner implements TaskRunner {
  readonly #task: Task;
  readonly #work: StubTask;
  readonly #hooks: RunnerHooks;
  #server: Server | undefined;
  #recorded: ReadonlyMap<string, RecordedAnswer> = new Map();
  #port = 0;
  #problem: string | undefined;
  #startedMs: number | undefined;

  constructor(task: Task, work: StubTask, hooks: RunnerHooks, before?: TaskState) {
    this.#task = task;
    this.#work = work;
    this.#hooks = hooks;
    this.#port = before?.port ?? 0;
  }

  async start(): Promise<void> {
    const { answer } = this.#work;
    try {
      if (answer.kind === 'recorded') this.#recorded = await readRecording(answer.file);
      const server = createServer((request, response) => void this.#answer(request, response));
      const wanted = this.#task.port;
      server.listen(
        wanted || (await freePort(this.#port || (this.#task.lastPort ?? 0))),
        '127.0.0.1',
      );
      await once(server, 'listening');
      this.#server = server;
      this.#port = (server.address() as AddressInfo).port;
      this.#startedMs = Date.now();
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      this.#problem = isTaken
        ? `port ${this.#task.port} is taken by another program`
        : (error as Error).message;
      this.#hooks.news(this.#problem);
    }
    this.#hooks.changed();
  }

  async stop(): Promise<TaskState> {
    const server = this.#server;
    if (server !== undefined) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
    return this.state();
  }

  state(): TaskState {
    const isReady = this.#server !== undefined;
    return {
      id: this.#task.id,
      revision: this.#task.revision,
      port: this.#port,
      phase: isReady ? 'running' : 'waiting',
      isReady,
      startedMs: this.#startedMs,
      restarts: 0,
      reason: isReady ? undefined : 'CreateContainerError',
      message: this.#problem,
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(request);
      const status = reply(this.#work.answer, this.#recorded, request, body, response);
      this.#hooks.line(`${request.method} ${request.url} ${status}`);
    } catch {
      // The client went away in the middle.
      response.destroy();
    }
  }
}

function reply(
  answer: StubAnswer,
  recorded: ReadonlyMap<string, RecordedAnswer>,
  request: IncomingMessage,
  body: string,
  response: ServerResponse,
): number {
  const { method = 'GET', url = '/' } = request;
  if (answer.kind === 'echo')
    return sendJson(response, 200, { method, url, headers: request.headers, body });
  if (answer.kind === 'fixed') return send(response, answer);
  const found = recorded.get(`${method} ${url}`) ?? recorded.get(`${method} ${url.split('?')[0]}`);
  if (found !== undefined) return send(response, found);
  return sendJson(response, 404, { message: `nothing was recorded for ${method} ${url}` });
}

function send(response: ServerResponse, answer: RecordedAnswer): number {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
  return answer.status;
}

function sendJson(response: ServerResponse, status: number, value: unknown): number {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(value, null, 2)}\n`);
  return status;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= mostBodyBytes) chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
