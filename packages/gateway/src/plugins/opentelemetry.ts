import { randomBytes } from 'node:crypto';
import { discardBody, HttpClient, targetOf } from '@waygate/text';
import { DeliveryQueue, defaultQueue, type QueueSettings } from '../plugin/delivery-queue.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import {
  type ExtractedTrace,
  extractTrace,
  injectTrace,
  type PropagationConfig,
} from './opentelemetry/trace-propagation.ts';

interface Config {
  readonly traces_endpoint: string | null;
  readonly connect_timeout: number;
  readonly send_timeout: number;
  readonly header_type: string;
  readonly propagation?: PropagationConfig | null;
  readonly batch_span_count: number | null;
  readonly batch_flush_delay: number | null;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly resource_attributes: Readonly<Record<string, string>> | null;
  readonly sampling_rate: number | null;
  readonly read_timeout: number;
  readonly http_response_header_for_traceid: string | null;
  readonly queue?: QueueSettings;
}

interface Trace {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly spanId: string;
  readonly upstreamSpanId: string;
  readonly isSampled: boolean;
}

const traceKey = 'opentelemetry trace';

/** Passes traces on, in any of Kong's formats, and exports a span for each request as OTLP in JSON. */
export function opentelemetry(random: () => number): AnyPlugin {
  const queues = new Map<string, DeliveryQueue<object>>();
  const client = new HttpClient();
  return definePlugin<Config>({
    name: 'opentelemetry',
    priority: 14,
    access(context, config) {
      const { propagation, header_type: headerType } = config;
      const found = extractTrace(context.headers, propagation, headerType);
      const trace = traceOf(found, config.sampling_rate, random);
      context.shared.set(traceKey, trace);
      const { traceId, upstreamSpanId: spanId, isSampled } = trace;
      if (context.upstream !== undefined) {
        const { headers } = context.upstream;
        injectTrace(headers, { traceId, spanId, isSampled }, found, propagation, headerType);
      }
    },
    headerFilter(context, config) {
      const trace = context.shared.get(traceKey) as Trace | undefined;
      const name = config.http_response_header_for_traceid;
      if (trace !== undefined && name !== null) context.response?.headers.set(name, trace.traceId);
    },
    log(context, config) {
      const trace = context.shared.get(traceKey) as Trace | undefined;
      const endpoint = config.traces_endpoint;
      if (trace === undefined || !trace.isSampled || endpoint === null) return;
      queueFor(queues, client, context, config, endpoint).push(spanOf(context, trace));
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      client.close();
    },
  });
}

function traceOf(
  found: ExtractedTrace | undefined,
  rate: number | null,
  random: () => number,
): Trace {
  const given = found?.context;
  const isDrawn = random() < (rate ?? 1);
  return {
    traceId: given?.traceId ?? randomBytes(16).toString('hex'),
    parentId: given?.spanId,
    spanId: randomBytes(8).toString('hex'),
    upstreamSpanId: randomBytes(8).toString('hex'),
    // A rate that is set decides anew; otherwise who began the trace has decided.
    isSampled: rate === null ? (given?.isSampled ?? isDrawn) : isDrawn,
  };
}

function queueFor(
  queues: Map<string, DeliveryQueue<object>>,
  client: HttpClient,
  context: RequestContext,
  config: Config,
  endpoint: string,
): DeliveryQueue<object> {
  const key = JSON.stringify([endpoint, config.headers, config.resource_attributes]);
  let queue = queues.get(key);
  if (queue === undefined) {
    const { log } = context.runtime;
    const settings = {
      ...defaultQueue,
      max_batch_size: config.batch_span_count ?? 200,
      ...(config.batch_flush_delay === null
        ? {}
        : { max_coalescing_delay: config.batch_flush_delay }),
      ...config.queue,
    };
    queue = new DeliveryQueue(
      settings,
      (batch, signal) => exportSpans(client, config, endpoint, batch, signal),
      (count, error) => log.error('spans are lost', { count, error: String(error) }),
    );
    queues.set(key, queue);
  }
  return queue;
}

async function exportSpans(
  client: HttpClient,
  config: Config,
  endpoint: string,
  spans: readonly object[],
  signal: AbortSignal,
): Promise<void> {
  const attributes = { 'service.name': 'kong', ...config.resource_attributes };
  const response = await client.send({
    method: 'POST',
    ...targetOf(new URL(endpoint)),
    headers: { 'content-type': 'application/json', ...config.headers },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: toAttributes(attributes) },
          scopeSpans: [{ scope: { name: 'kong-internal' }, spans }],
        },
      ],
    }),
    idleTimeoutMs: config.read_timeout,
    connectTimeoutMs: config.connect_timeout,
    signal,
  });
  discardBody(response);
  if (response.statusCode >= 300) throw new Error(`the collector answered ${response.statusCode}`);
}

function spanOf(context: RequestContext, trace: Trace): object {
  const { response, timings, match, client } = context;
  const now = performance.now();
  const epochMs = context.runtime.now() - now;
  const nanoseconds = (at: number) => String(BigInt(Math.round((epochMs + at) * 1_000)) * 1_000n);
  const status = response?.status ?? 499;
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    ...(trace.parentId === undefined ? {} : { parentSpanId: trace.parentId }),
    name: 'kong',
    kind: 2,
    startTimeUnixNano: nanoseconds(timings.startedAt),
    endTimeUnixNano: nanoseconds(now),
    attributes: toAttributes({
      'http.method': context.method,
      'http.url': `${client.forwardedProto}://${client.forwardedHost}${context.target}`,
      'http.host': client.forwardedHost,
      'http.scheme': client.forwardedProto,
      'http.flavor': context.request.httpVersion,
      'http.client_ip': client.ip,
      'http.route': String(match?.entry.route.name ?? ''),
      'http.status_code': status,
    }),
    status: { code: status >= 500 ? 2 : 0 },
  };
}

function toAttributes(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
  }));
}
