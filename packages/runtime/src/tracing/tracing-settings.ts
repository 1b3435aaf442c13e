import { readPercentEscapes } from '@waygate/text';
import type { FlagValues } from '../flags/controller-flag.ts';
import type { OtlpExporterOptions } from './otlp-exporter.ts';

/** What flags and the environment say of traces, and what is wrong or without effect in it. */
export interface TracingSettings {
  /** Undefined when no traces are wanted. */
  readonly exporter: OtlpExporterOptions | undefined;
  /** A file with the certificates to trust, to be read by the program. */
  readonly caFile: string | undefined;
  /** The part of all traces that is kept, from 0 to 1: the same traces in every process. */
  readonly ratio: number;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** What flags say: each wins over the variables of its kind. */
export interface TracingFlags {
  /** The address of the collector, with or without `/v1/traces`. */
  readonly endpoint?: string | undefined;
  /** From 0 to 1. */
  readonly ratio?: string | undefined;
}

const off: TracingSettings = {
  exporter: undefined,
  caFile: undefined,
  ratio: 0,
  problems: [],
  warnings: [],
};

/**
 * Reads OpenTelemetry's own variables. Traces are off until an endpoint is given, by the flag or by
 * `OTEL_EXPORTER_OTLP_ENDPOINT`.
 *
 * ```ts
 * const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
 * tracingSettings(environment, 'waygate').exporter?.url; // 'http://collector:4318/v1/traces'
 * ```
 */
export function tracingSettings(
  environment: FlagValues,
  serviceName: string,
  flags: TracingFlags = {},
): TracingSettings {
  const said = (name: string) => environment[`OTEL_${name}`]?.trim() || undefined;
  const ofTraces = (name: string) =>
    said(`EXPORTER_OTLP_TRACES_${name}`) ?? said(`EXPORTER_OTLP_${name}`);
  const url = flags.endpoint ? withPath(flags.endpoint) : endpointOf(said);
  const isOff =
    said('SDK_DISABLED')?.toLowerCase() === 'true' || said('TRACES_EXPORTER') === 'none';
  if (url === undefined || isOff) return off;
  const problems: string[] = [];
  const warnings: string[] = [];
  // Not shown: an address may have a password in it.
  if (!/^https?:\/\/[^/]/u.test(url) || !URL.canParse(url))
    problems.push('the endpoint of traces must be an http or https URL');
  const protocol = ofTraces('PROTOCOL') ?? 'http/json';
  if (protocol !== 'http/json')
    warnings.push(`OTEL_EXPORTER_OTLP_PROTOCOL=${protocol} has no effect: traces go as http/json`);
  const count = (name: string, text: string | undefined): number | undefined => {
    if (text === undefined || /^[1-9]\d{0,8}$/u.test(text))
      return (text && Number(text)) || undefined;
    problems.push(`OTEL_${name} must be a whole number above 0`);
    return undefined;
  };
  const serviceNameSaid = said('SERVICE_NAME');
  return {
    exporter: {
      url,
      headers: pairsOf(ofTraces('HEADERS')),
      timeoutMs: count('EXPORTER_OTLP_TIMEOUT', ofTraces('TIMEOUT')),
      delayMs: count('BSP_SCHEDULE_DELAY', said('BSP_SCHEDULE_DELAY')),
      queueSize: count('BSP_MAX_QUEUE_SIZE', said('BSP_MAX_QUEUE_SIZE')),
      batchSize: count('BSP_MAX_EXPORT_BATCH_SIZE', said('BSP_MAX_EXPORT_BATCH_SIZE')),
      resource: {
        'service.name': serviceName,
        ...pairsOf(said('RESOURCE_ATTRIBUTES')),
        ...(serviceNameSaid === undefined ? {} : { 'service.name': serviceNameSaid }),
      },
    },
    caFile: ofTraces('CERTIFICATE'),
    ratio: flags.ratio ? ratioOf(flags.ratio, problems) : samplerOf(said, warnings),
    problems,
    warnings,
  };
}

/** The endpoint of all signals gets the path of traces; that of traces is taken as it is. */
function endpointOf(said: (name: string) => string | undefined): string | undefined {
  const exact = said('EXPORTER_OTLP_TRACES_ENDPOINT');
  if (exact !== undefined) return exact;
  const base = said('EXPORTER_OTLP_ENDPOINT');
  return base === undefined ? undefined : withPath(base);
}

function withPath(base: string): string {
  return /\/v1\/traces\/?$/u.test(base) ? base : `${base.replace(/\/+$/u, '')}/v1/traces`;
}

/** `a=1,b=2`, with what would be in the way percent-encoded. */
function pairsOf(text: string | undefined): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const one of (text ?? '').split(',')) {
    const equals = one.indexOf('=');
    if (equals < 1) continue;
    pairs[one.slice(0, equals).trim()] = readPercentEscapes(one.slice(equals + 1).trim());
  }
  return pairs;
}

function ratioOf(text: string, problems: string[]): number {
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  problems.push('the ratio of traces must be a number from 0 to 1');
  return 1;
}

function samplerOf(said: (name: string) => string | undefined, warnings: string[]): number {
  const sampler = (said('TRACES_SAMPLER') ?? 'always_on').replace('parentbased_', '');
  if (sampler === 'always_on') return 1;
  if (sampler === 'always_off') return 0;
  const ratio = Number(said('TRACES_SAMPLER_ARG') ?? 1);
  if (sampler === 'traceidratio' && ratio >= 0 && ratio <= 1) return ratio;
  warnings.push(`OTEL_TRACES_SAMPLER=${sampler} has no effect: all traces are kept`);
  return 1;
}
