import type { HeaderList } from '../../http/header-list.ts';
import {
  type OutgoingTrace,
  type TraceContext,
  type TraceFormatName,
  traceFormats,
} from './trace-format.ts';

/** How traces go through, in the names of Kong's schema. */
export interface PropagationConfig {
  readonly extract?: readonly TraceFormatName[] | null;
  readonly inject?: readonly (TraceFormatName | 'preserve')[] | null;
  /** Headers that the upstream does not get. */
  readonly clear?: readonly string[] | null;
  readonly default_format?: TraceFormatName | null;
}

/** What came, and in which format. */
export interface ExtractedTrace {
  readonly format: TraceFormatName;
  readonly context: TraceContext;
}

const allFormats = Object.keys(traceFormats) as TraceFormatName[];

/** Looks for a trace in the headers of a client. `headerType` is what older configurations say. */
export function extractTrace(
  headers: HeaderList,
  propagation: PropagationConfig | null | undefined,
  headerType: string,
): ExtractedTrace | undefined {
  const asked = propagation?.extract;
  if ((asked === undefined || asked === null) && headerType === 'ignore') return undefined;
  for (const format of asked ?? allFormats) {
    const context = traceFormats[format]?.extract(headers);
    if (context !== undefined) return { format, context };
  }
  return undefined;
}

/** Writes the trace for the upstream, in each format that is asked for. */
export function injectTrace(
  headers: HeaderList,
  trace: OutgoingTrace,
  found: ExtractedTrace | undefined,
  propagation: PropagationConfig | null | undefined,
  headerType: string,
): void {
  for (const name of propagation?.clear ?? []) headers.remove(name);
  const fallback = propagation?.default_format ?? 'w3c';
  const asked = propagation?.inject ?? injectedBy(headerType);
  const formats = asked.map((format) =>
    format === 'preserve' ? (found?.format ?? fallback) : format,
  );
  for (const format of new Set(formats)) traceFormats[format]?.inject(headers, trace);
}

function injectedBy(headerType: string): readonly (TraceFormatName | 'preserve')[] {
  return headerType === 'preserve' || headerType === 'ignore' || !(headerType in traceFormats)
    ? ['preserve']
    : ['preserve', headerType as TraceFormatName];
}
