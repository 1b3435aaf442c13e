import { isObject } from '@waygate/text';
import { KongError } from '../kong-error.ts';
import type { ConnectionPool, RawRequest } from './connection-pool.ts';
import type { RawAnswer } from './response-reader.ts';

type OnAnswer = (answer: RawAnswer | undefined, error: Error | undefined) => void;

interface Waiting {
  readonly request: RawRequest;
  readonly onAnswer: OnAnswer;
}

/** Where Waygate's own gateway takes many requests in one. Kong has nothing there. */
export const batchPath = '/waygate/batches';
/** Requests of one batch: enough that HTTP costs nothing, and little enough that a gateway can breathe. */
export const mostBatched = 500;

/**
 * Sends requests that are made at one moment as one, to a gateway that takes them so. Each has its own
 * answer, as if it had been sent alone; they are done in order. A batch that is not answered leaves it
 * open which of them were done, as for each of them alone.
 */
export class RequestBatches {
  readonly #pool: ConnectionPool;
  readonly #mayWrite: () => boolean;
  /** Those of the moment; they leave together. */
  #waiting: Waiting[] = [];

  /** `mayWrite` is asked when a batch leaves: its requests may have waited while the process stood still. */
  constructor(pool: ConnectionPool, mayWrite: () => boolean = () => true) {
    this.#pool = pool;
    this.#mayWrite = mayWrite;
  }

  dispatch(request: RawRequest, onAnswer: OnAnswer): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    this.#waiting.push({ request, onAnswer });
    if (this.#waiting.length >= mostBatched) this.#flush();
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    const [first] = batch;
    if (first === undefined) return;
    if (!this.#mayWrite()) {
      const message = `${batch.length} requests were not sent: this process does not lead any more`;
      const error = new KongError('WG_KONG_FENCED', message);
      for (const { onAnswer } of batch) onAnswer(undefined, error);
      return;
    }
    if (batch.length === 1) {
      this.#pool.dispatch(first.request, first.onAnswer);
      return;
    }
    const { signal } = first.request;
    const outer: RawRequest = { method: 'POST', path: batchPath, body: bodyOf(batch), signal };
    this.#pool.dispatch(outer, (answer, error) => {
      const answers = answer === undefined ? undefined : answersOf(answer, batch.length);
      batch.forEach(({ onAnswer }, index) => {
        if (answers === undefined) onAnswer(undefined, error ?? notOurs(answer));
        else onAnswer(answers[index], undefined);
      });
    });
  }
}

/** Bodies are JSON texts already: they are put together, and not read again. */
function bodyOf(batch: readonly Waiting[]): string {
  const requests = batch.map(({ request: { method, path, body, ignoresAnswer } }) => {
    const head = `{"method":"${method}","path":${JSON.stringify(path)}`;
    const brief = ignoresAnswer === true ? ',"brief":true' : '';
    return body === undefined ? `${head}${brief}}` : `${head}${brief},"body":${body}}`;
  });
  return `{"requests":[${requests.join(',')}]}`;
}

const noBody = Buffer.alloc(0);

/** The answers, or undefined when it is not the answer to a batch. */
function answersOf({ status, body }: RawAnswer, count: number): RawAnswer[] | undefined {
  if (status !== 200) return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  const list = isObject(answer) ? answer.answers : undefined;
  if (!Array.isArray(list) || list.length !== count) return undefined;
  return list.map((one: { readonly status?: unknown; readonly body?: unknown }) => ({
    status: Number(one?.status ?? 500),
    body: one?.body === undefined ? noBody : Buffer.from(JSON.stringify(one.body)),
    retryAfter: undefined,
    keepsAlive: true,
  }));
}

function notOurs(answer: RawAnswer | undefined): KongError {
  const message = `the answer to a batch is HTTP status ${answer?.status ?? 0}, and none to its requests`;
  return new KongError('WG_KONG_ANSWER', message);
}
