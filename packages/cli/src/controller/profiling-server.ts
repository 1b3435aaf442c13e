import type { IncomingMessage, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot } from 'node:v8';
import { type FlagAddress, HttpListener } from '@waygate/runtime';
import { isLoopback } from '@waygate/text';

const longestSeconds = 120;

/**
 * Serves profiles of this process to whoever is on this machine: `/debug/cpu?seconds=10` for a
 * `.cpuprofile`, `/debug/heap` for a `.heapsnapshot`, both for the developer tools of a browser. A heap
 * holds secrets, so that it listens nowhere but on loopback.
 */
export class ProfilingServer {
  readonly #listener: HttpListener;
  #isBusy = false;

  constructor(address: FlagAddress) {
    if (!isLoopback(address.host)) throw new RangeError('profiles are served on loopback only');
    this.#listener = new HttpListener({
      ...address,
      onRequest: (request, response) => void this.#serve(request, response),
    });
  }

  get port(): number | undefined {
    return this.#listener.address?.port;
  }

  async listen(): Promise<void> {
    await this.#listener.listen();
  }

  async close(): Promise<void> {
    await this.#listener.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const say = (code: number, text: string) =>
      response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`);
    const isKnown = url.pathname === '/debug/cpu' || url.pathname === '/debug/heap';
    if (request.method !== 'GET' || !isKnown) {
      say(404, 'there are /debug/cpu?seconds=10 and /debug/heap');
      return;
    }
    if (this.#isBusy) {
      say(503, 'one profile at a time');
      return;
    }
    this.#isBusy = true;
    try {
      if (url.pathname === '/debug/heap') await this.#heap(response);
      else await this.#cpu(Number(url.searchParams.get('seconds') ?? 10), response);
    } catch (error) {
      if (!response.headersSent) say(400, error instanceof Error ? error.message : String(error));
      else response.destroy();
    } finally {
      this.#isBusy = false;
    }
  }

  async #heap(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    await pipeline(getHeapSnapshot(), response);
  }

  async #cpu(seconds: number, response: ServerResponse): Promise<void> {
    if (!(seconds > 0 && seconds <= longestSeconds))
      throw new RangeError(`seconds must be a number from 1 to ${longestSeconds}`);
    const session = new Session();
    session.connect();
    try {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000);
        gone.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      const { profile } = await session.post('Profiler.stop');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(profile));
    } finally {
      session.disconnect();
    }
  }
}
