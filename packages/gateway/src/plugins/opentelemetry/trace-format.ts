import { readPercentEscapes } from '@waygate/text';
import type { HeaderList } from '../../http/header-list.ts';

/** What a request says on the trace that it belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits; undefined if only the trace is named. */
  readonly spanId: string | undefined;
  /** Undefined if it was not decided yet. */
  readonly isSampled: boolean | undefined;
}

/** A trace with the span that the upstream's spans will hang on. */
export interface OutgoingTrace {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** A way to write a trace into headers. */
interface TraceFormat {
  extract(headers: HeaderList): TraceContext | undefined;
  inject(headers: HeaderList, trace: OutgoingTrace): void;
}

export type TraceFormatName =
  | 'w3c'
  | 'b3'
  | 'b3-single'
  | 'jaeger'
  | 'ot'
  | 'aws'
  | 'gcp'
  | 'datadog';

const w3c: TraceFormat = {
  extract(headers) {
    const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(
      headers.get('traceparent') ?? '',
    );
    if (match === null || match[1] === 'ff' || (match[1] === '00' && match[5] !== undefined)) {
      return undefined;
    }
    const isSampled = (Number.parseInt(match[4] ?? '0', 16) & 1) === 1;
    return context(match[2], match[3], isSampled);
  },
  inject(headers, { traceId, spanId, isSampled }) {
    headers.set('traceparent', `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`);
  },
};

const b3: TraceFormat = {
  extract(headers) {
    const sampled = headers.get('x-b3-sampled')?.toLowerCase();
    const isForced = headers.get('x-b3-flags') === '1';
    const isSampled = isForced || (sampled === undefined ? undefined : /^(1|true)$/.test(sampled));
    return context(headers.get('x-b3-traceid'), headers.get('x-b3-spanid'), isSampled);
  },
  inject(headers, { traceId, spanId, isSampled }) {
    headers.set('x-b3-traceid', traceId);
    headers.set('x-b3-spanid', spanId);
    headers.set('x-b3-sampled', isSampled ? '1' : '0');
    headers.remove('x-b3-parentspanid');
  },
};

const b3Single: TraceFormat = {
  extract(headers) {
    const [traceId, spanId, sampled] = (headers.get('b3') ?? '').split('-');
    return context(traceId, spanId, sampled === undefined ? undefined : /^[1d]$/.test(sampled));
  },
  inject(headers, { traceId, spanId, isSampled }) {
    headers.set('b3', `${traceId}-${spanId}-${isSampled ? '1' : '0'}`);
  },
};

const jaeger: TraceFormat = {
  extract(headers) {
    const [traceId, spanId, , flags] = readPercentEscapes(headers.get('uber-trace-id') ?? '').split(
      ':',
    );
    if (flags === undefined || !/^[0-9a-f]{1,2}$/i.test(flags)) return undefined;
    const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
    return context(traceId, spanId?.padStart(16, '0'), isSampled);
  },
  inject(headers, { traceId, spanId, isSampled }) {
    headers.set('uber-trace-id', `${traceId}:${spanId}:0:${isSampled ? '01' : '00'}`);
  },
};

const ot: TraceFormat = {
  extract(headers) {
    const sampled = headers.get('ot-tracer-sampled')?.toLowerCase();
    return context(
      headers.get('ot-tracer-traceid'),
      headers.get('ot-tracer-spanid'),
      sampled === undefined ? undefined : /^(1|true)$/.test(sampled),
    );
  },
  inject(headers, { traceId, spanId, isSampled }) {
    headers.set('ot-tracer-traceid', traceId);
    headers.set('ot-tracer-spanid', spanId);
    headers.set('ot-tracer-sampled', isSampled ? '1' : '0');
  },
};

const aws: TraceFormat = {
  extract(headers) {
    const fields = new Map(
      (headers.get('x-amzn-trace-id') ?? '').split(';').map((part) => {
        const [name = '', value = ''] = part.trim().split('=');
        return [name.toLowerCase(), value] as const;
      }),
    );
    const root = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/i.exec(fields.get('root') ?? '');
    const sampled = fields.get('sampled');
    return root === null
      ? undefined
      : context(
          `${root[1]}${root[2]}`,
          fields.get('parent'),
          sampled === undefined ? undefined : sampled === '1',
        );
  },
  inject(headers, { traceId, spanId, isSampled }) {
    const root = `1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;
    headers.set('x-amzn-trace-id', `Root=${root};Parent=${spanId};Sampled=${isSampled ? 1 : 0}`);
  },
};

const gcp: TraceFormat = {
  extract(headers) {
    const match = /^([0-9a-f]{32})\/(\d{1,20})(?:;o=(\d))?$/i.exec(
      headers.get('x-cloud-trace-context') ?? '',
    );
    return match === null
      ? undefined
      : context(
          match[1],
          hexadecimal(match[2] ?? ''),
          match[3] === undefined ? undefined : match[3] === '1',
        );
  },
  inject(headers, { traceId, spanId, isSampled }) {
    const span = BigInt(`0x${spanId}`).toString();
    headers.set('x-cloud-trace-context', `${traceId}/${span};o=${isSampled ? 1 : 0}`);
  },
};

const datadog: TraceFormat = {
  extract(headers) {
    const traceId = headers.get('x-datadog-trace-id') ?? '';
    const spanId = headers.get('x-datadog-parent-id') ?? '';
    const priority = headers.get('x-datadog-sampling-priority');
    if (!/^\d{1,20}$/.test(traceId)) return undefined;
    return context(
      hexadecimal(traceId),
      /^\d{1,20}$/.test(spanId) ? hexadecimal(spanId) : undefined,
      priority === undefined ? undefined : Number(priority) > 0,
    );
  },
  inject(headers, { traceId, spanId, isSampled }) {
    // Datadog knows the lower half only.
    headers.set('x-datadog-trace-id', BigInt(`0x${traceId.slice(16)}`).toString());
    headers.set('x-datadog-parent-id', BigInt(`0x${spanId}`).toString());
    headers.set('x-datadog-sampling-priority', isSampled ? '1' : '0');
  },
};

/** In the order in which a request is looked through that may speak any of them. */
export const traceFormats: Readonly<Record<TraceFormatName, TraceFormat>> = {
  w3c,
  'b3-single': b3Single,
  b3,
  jaeger,
  ot,
  datadog,
  aws,
  gcp,
};

function context(
  traceId: string | undefined,
  spanId: string | undefined,
  isSampled: boolean | undefined,
): TraceContext | undefined {
  if (traceId === undefined || !/^[0-9a-f]{1,32}$/i.test(traceId) || /^0+$/.test(traceId)) {
    return undefined;
  }
  const isSpan = spanId !== undefined && /^[0-9a-f]{16}$/i.test(spanId) && !/^0+$/.test(spanId);
  return {
    traceId: traceId.toLowerCase().padStart(32, '0'),
    spanId: isSpan ? spanId.toLowerCase() : undefined,
    isSampled,
  };
}

function hexadecimal(decimal: string): string {
  return BigInt.asUintN(64, BigInt(decimal)).toString(16).padStart(16, '0');
}
