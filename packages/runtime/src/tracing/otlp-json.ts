import type { Span, SpanAttributes } from './tracer.ts';

/** OTLP's words: an internal step, and how it ended. */
const internalKind = 1;
const errorStatus = 2;

/**
 * Spans as a request of OTLP/HTTP with JSON.
 *
 * ```ts
 * JSON.stringify(toOtlpJson([], { 'service.name': 'waygate' }));
 * ```
 */
export function toOtlpJson(spans: readonly Span[], resource: SpanAttributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'waygate' }, spans: spans.map(spanOf) }],
      },
    ],
  };
}

function spanOf(span: Span): object {
  const { traceId, spanId, parentSpanId, name, startMs, endMs, attributes = {}, error } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: internalKind,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: errorStatus, message: error },
  };
}

/** As text: a double has no room for nanoseconds of this century. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1_000)) * 1_000n).toString();
}

function attributesOf(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
}

function otlpValue(value: string | number | boolean): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}
