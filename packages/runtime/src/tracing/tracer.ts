import { newSpanId, spanIdOf, type TracedRevision, traceIdOf } from './trace-ids.ts';

/** Names, counts and outcomes of a step. Never content: that may be secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One step of a revision on its way, when it is over. Times are of the wall clock, in milliseconds. */
export interface TraceStep {
  /** What was done: `commit`, `fetch`, `download`, `build`, `apply`, `translate`, `sync`. */
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Made up when it is not given: only what others are below has to be known to them. */
  readonly spanId?: string | undefined;
  /** What it follows from; the commit when it is not given. */
  readonly parentSpanId?: string | undefined;
  readonly attributes?: SpanAttributes | undefined;
  /** Why it failed, for people; undefined when it did not. */
  readonly error?: string | undefined;
}

/** A step with its place in a trace. */
export interface Span extends TraceStep {
  readonly traceId: string;
  readonly spanId: string;
}

/** Where spans go. It takes them at once, and loses them rather than wait. */
export interface SpanSink {
  take(span: Span): void;
}

const longestErrorLength = 1_024;

/**
 * Tells of the steps of revisions: one trace for each revision, whoever did the step.
 *
 * ```ts
 * const tracer = new Tracer({ take: (span) => console.log(span.name, span.traceId) });
 * const revision = { sourceUid: '6f9c', revision: 'main@sha1:1eabc9a4' };
 * tracer.step(revision, { name: 'build', startMs: Date.now() - 20, endMs: Date.now() });
 * ```
 */
export class Tracer {
  readonly #sink: SpanSink;
  readonly #ratio: number;

  /** Of all traces a `ratio` is kept, whole and in every process: their ids decide. */
  constructor(sink: SpanSink, ratio = 1) {
    this.#sink = sink;
    this.#ratio = ratio;
  }

  /** The span that the others of a revision are below: from the commit, where that is known. */
  commit(revision: TracedRevision, step: Omit<TraceStep, 'name' | 'spanId'>): void {
    const spanId = commitSpanIdOf(revision);
    this.#take(revision, { ...step, name: 'commit', spanId });
  }

  /** Gives back the id of the step's span, for what follows from it. */
  step(revision: TracedRevision, step: TraceStep): string {
    const { spanId = newSpanId(), parentSpanId = commitSpanIdOf(revision), error } = step;
    this.#take(revision, {
      ...step,
      spanId,
      parentSpanId,
      error: error === undefined ? undefined : error.slice(0, longestErrorLength),
    });
    return spanId;
  }

  #take(revision: TracedRevision, step: TraceStep & { readonly spanId: string }): void {
    const traceId = traceIdOf(revision);
    if (Number.parseInt(traceId.slice(-8), 16) >= this.#ratio * 2 ** 32) return;
    try {
      this.#sink.take({ ...step, traceId });
    } catch {
      // Work is not to fail for what is told of it.
    }
  }
}

function commitSpanIdOf(revision: TracedRevision): string {
  return spanIdOf(revision, 'commit', revision.sourceUid);
}
