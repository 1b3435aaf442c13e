import type { ControllerFlag } from '../flags/controller-flag.ts';

/** Flags of traces, which all controllers of a process share. */
export const tracingFlags: readonly ControllerFlag[] = [
  {
    name: 'otlp-endpoint',
    type: 'string',
    default: '',
    summary:
      'where traces of revisions are sent, as OTLP over HTTP: http://collector:4318; empty: OTEL_EXPORTER_OTLP_ENDPOINT, else nowhere',
  },
  {
    name: 'trace-ratio',
    type: 'number',
    default: '',
    summary:
      'the part of all traces that is kept, from 0 to 1; empty: OTEL_TRACES_SAMPLER, else all',
  },
];
