import { discardBody, HttpClient, type HttpResponse, readBody, targetOf } from '@waygate/text';
import { type Clock, systemClock } from '../time/clock.ts';
import { toOtlpJson } from './otlp-json.ts';
import type { Span, SpanAttributes, SpanSink } from './tracer.ts';

/** Where spans are sent, and how. */
export interface OtlpExporterOptions {
  /** The whole URL, such as `http://collector:4318/v1/traces`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates to trust, PEM, beside those that Node.js does. */
  readonly ca?: string | undefined;
  /** What is true of all spans: `service.name` and the like. */
  readonly resource: SpanAttributes;
  /** Spans that wait at most; what comes when it is full is lost. 2,048. */
  readonly queueSize?: number | undefined;
  /** Spans of one request at most. 512. */
  readonly batchSize?: number | undefined;
  /** How long spans are gathered. 5 s. */
  readonly delayMs?: number | undefined;
  /** How long one request may take, answer and all. 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Told once in a series of failures, and without what the collector was sent or said. */
  readonly onError?: ((error: Error) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** What is left when the program ends has this long. */
const lastWordMs = 2_000;
/** An answer is one short document; more than this is not read. */
const maxAnswerBytes = 65_536;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** By OTLP's word these are for trying again; every other refusal is for good. */
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How a request ended: taken (but for so many), to be tried again, or refused. */
type Delivery =
  | { readonly kind: 'taken'; readonly refused: number }
  | { readonly kind: 'later' | 'refused'; readonly message: string };

/**
 * Sends spans to an OTLP collector, in the background. Nobody waits for it: a collector that is slow or
 * gone costs spans and nothing else.
 *
 * ```ts
 * const exporter = new OtlpExporter({
 *   url: 'http://127.0.0.1:4318/v1/traces',
 *   resource: { 'service.name': 'waygate' },
 * });
 * const running = exporter.run(AbortSignal.timeout(60_000));
 * const tracer = new Tracer(exporter);
 * await running;
 * ```
 */
export class OtlpExporter implements SpanSink {
  readonly #options: OtlpExporterOptions;
  readonly #clock: Clock;
  readonly #http: HttpClient;
  /** At most `queueSize`; a batch leaves it when its request has ended. */
  readonly #queue: Span[] = [];
  #dropped = 0;
  #failures = 0;
  #wake: () => void = () => undefined;

  constructor(options: OtlpExporterOptions) {
    const { ca } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#http = new HttpClient({
      maxConnections: 1,
      ...(ca === undefined ? {} : { tls: { ca } }),
    });
  }

  /** Spans that were lost: the queue was full, or the collector refused them. */
  get droppedCount(): number {
    return this.#dropped;
  }

  take(span: Span): void {
    const { queueSize = 2_048 } = this.#options;
    if (this.#queue.length >= queueSize) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= this.#batchSize && this.#failures === 0) this.#wake();
  }

  /** Sends until the signal aborts, and then what is left, once. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#pause(signal);
      await this.#sendAll(signal);
    }
    this.#failures = 0;
    const over = new AbortController();
    const deadline = this.#clock.after(lastWordMs, () => over.abort(), { isBackground: true });
    await this.#sendAll(over.signal);
    deadline.cancel();
    this.#dropped += this.#queue.splice(0).length;
    this.#http.close();
  }

  get #batchSize(): number {
    const { batchSize = 512, queueSize = 2_048 } = this.#options;
    return Math.min(batchSize, queueSize);
  }

  /** Waits for the next time to send: a full batch, or the end of the delay. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { delayMs = 5_000 } = this.#options;
    const retryMs = Math.min(firstPauseMs * 2 ** (this.#failures - 1), longestPauseMs);
    const over = new AbortController();
    const end = () => over.abort();
    this.#wake = end;
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const pauseMs = this.#failures === 0 ? delayMs : Math.max(delayMs, retryMs);
    await this.#clock.sleep(pauseMs, over.signal);
    signal.removeEventListener('abort', end);
    this.#wake = () => undefined;
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#batchSize);
      const delivery = await this.#send(batch, signal);
      if (delivery.kind === 'taken') {
        this.#queue.splice(0, batch.length);
        this.#dropped += delivery.refused;
        this.#failures = 0;
        continue;
      }
      if (delivery.kind === 'refused') {
        this.#queue.splice(0, batch.length);
        this.#dropped += batch.length;
      }
      if (!signal.aborted && this.#failures === 0)
        this.#options.onError?.(new Error(`no traces: ${delivery.message}`));
      this.#failures += 1;
      return;
    }
  }

  async #send(batch: readonly Span[], signal: AbortSignal): Promise<Delivery> {
    const { url, headers, resource, timeoutMs = 10_000 } = this.#options;
    try {
      const response = await this.#http.send({
        ...targetOf(new URL(url)),
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(toOtlpJson(batch, resource)),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      return await deliveryOf(response);
    } catch (error) {
      const { message, name } = error instanceof Error ? error : new Error(String(error));
      const said = name === 'TimeoutError' ? 'it does not answer in time' : message;
      return { kind: 'later', message: `the collector cannot be reached: ${said}` };
    }
  }
}

/** Redirects are not followed: what is sent may carry a key that is the collector's alone. */
async function deliveryOf(response: HttpResponse): Promise<Delivery> {
  const { statusCode } = response;
  if (statusCode >= 200 && statusCode < 300)
    return { kind: 'taken', refused: await refusedOf(response) };
  discardBody(response);
  const kind = passingStatuses.has(statusCode) ? 'later' : 'refused';
  return { kind, message: `the collector answered ${statusCode}` };
}

/** How many spans the collector says it did not keep; what cannot be read says nothing of any. */
async function refusedOf(response: HttpResponse): Promise<number> {
  try {
    const answer: unknown = JSON.parse((await readBody(response, maxAnswerBytes)).toString('utf8'));
    const { partialSuccess } = answer as { partialSuccess?: { rejectedSpans?: unknown } };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
