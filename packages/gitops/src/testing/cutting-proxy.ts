import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Which request is the last one of a process, and whether it still arrives. */
export interface Cut {
  /** Of `METHOD /path`. */
  readonly at: RegExp;
  readonly arrives: boolean;
}

/**
 * Stands between a process and the API, and cuts all of its connections at one of its requests: as the API sees it, the
 * process was killed there. Nothing gets through afterwards.
 */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: URL;
  readonly #cut: Cut;
  /** Set when the request has come; from then on nothing is let through. */
  #isCut = false;
  /** Ends when the request has come, and has arrived if it was to. */
  readonly done: Promise<void>;
  readonly #end: () => void;

  static async start(target: string, cut: Cut): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, cut);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(target: string, cut: Cut) {
    this.#target = new URL(target);
    this.#cut = cut;
    const { promise, resolve } = withResolvers();
    this.done = promise;
    this.#end = resolve;
    this.#server = createServer((incoming, outgoing) => {
      const { method = '', url = '', headers } = incoming;
      if (this.#isCut) {
        incoming.destroy();
        return;
      }
      const isLast = this.#cut.at.test(`${method} ${url.split('?')[0]}`);
      if (isLast) {
        this.#isCut = true;
        if (!this.#cut.arrives) {
          this.#sever();
          return;
        }
      }
      const { hostname, port } = this.#target;
      const forwarded = request({ hostname, port, method, path: url, headers }, (answer) => {
        if (isLast) {
          answer.resume().once('end', () => this.#sever());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        outgoing.flushHeaders();
        answer.on('error', () => outgoing.destroy()).pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => {
        if (!isLast) forwarded.destroy();
      });
      passOn(incoming, forwarded);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #sever(): void {
    this.#server.closeAllConnections();
    this.#end();
  }
}

/** The whole request or nothing of it. */
function passOn(incoming: IncomingMessage, forwarded: ReturnType<typeof request>): void {
  const parts: Buffer[] = [];
  incoming.on('data', (part: Buffer) => parts.push(part));
  incoming.once('end', () => forwarded.end(Buffer.concat(parts)));
  incoming.once('error', () => forwarded.destroy());
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((ended) => {
    resolve = ended;
  });
  return { promise, resolve };
}
