import type { RequestContext } from '../plugin/request-context.ts';
import { readBody } from '../proxy/request-body.ts';
import { bodyless, sentHeaders } from './nginx/client-headers.ts';
import { SideClient } from './nginx/side-client.ts';
import type { SideTarget } from './nginx/side-target.ts';

/** A longer body is not held for copies: the request then goes to the upstream only. */
const maximumBodyBytes = 1_024 * 1_024;
/** Those who do not keep up get no more until some are done. */
const maximumUnderWay = 256;
const timeoutMs = 60_000;

/** Where a copy goes, and what it differs in from the request. */
interface RequestCopy {
  /** Its host and port are looked up, as those of an upstream are. */
  readonly target: SideTarget;
  readonly host: string;
  readonly body: Buffer | undefined;
}

/**
 * Copies of requests that plugins send elsewhere. Nobody waits for them, and what is answered is thrown
 * away: whether those who get them are slow or gone, clients do not notice.
 */
export class RequestCopies<Due> {
  readonly #client = new SideClient();
  readonly #never = new AbortController().signal;
  readonly #key: string;
  /** At most `maximumUnderWay`. */
  #underWay = 0;

  /** The key is what due copies are shared under in a request. */
  constructor(key: string) {
    this.#key = key;
  }

  /** Notes copies that are due, and holds the body if they have it; they are not if it is too long. */
  note(context: RequestContext, due: Due, hasBody: boolean): Promise<void> | undefined {
    context.shared.set(this.#key, due);
    if (!hasBody || !context.hasBody) return undefined;
    return readBody(context, maximumBodyBytes).then((body) => {
      if (body === undefined) context.shared.delete(this.#key);
    });
  }

  /**
   * What is due, once. Asked when the upstream has answered and not before, so that a copy never takes a
   * request's place in a queue.
   */
  take(context: RequestContext): Due | undefined {
    const due = context.shared.get(this.#key) as Due | undefined;
    context.shared.delete(this.#key);
    return due;
  }

  /** Sends a copy, if those under way are not too many. What fails with it is nobody's concern. */
  send(context: RequestContext, copyOf: () => RequestCopy): void {
    if (this.#underWay >= maximumUnderWay) return;
    this.#underWay += 1;
    this.#send(context, copyOf)
      .catch(() => {})
      .finally(() => {
        this.#underWay -= 1;
      });
  }

  close(): void {
    this.#client.close();
  }

  async #send(context: RequestContext, copyOf: () => RequestCopy): Promise<void> {
    const { target, host, body } = copyOf();
    const place = await context.runtime.locate(target.host, target.port);
    if (place === undefined) return;
    const length =
      body === undefined ? bodyless(context.method) : ['Content-Length', String(body.length)];
    await this.#client.ask(
      {
        target: { ...target, host: place.ip, port: place.port },
        method: context.method,
        headers: ['Host', host, ...length, ...sentHeaders(context, new Set())],
        ...(body === undefined ? {} : { body }),
        timeoutMs,
      },
      this.#never,
    );
  }
}
