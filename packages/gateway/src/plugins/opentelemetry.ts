import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { DeliveryQueue, defaultQueue, type QueueSettings } from '../plugin/delivery-queue.ts';
import { type AnyPlugin, definePlugin } from '../plugin/plugin.ts';
import type { RequestContext } from '../proxy/request-context.ts';

interface Config {
  readonly traces_endpoint: string | null;
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

/** Passes traces on (W3C `traceparent`) and exports a span for each request as OTLP in JSON. */
export function opentelemetry(random: () => number): AnyPlugin {
  const queues = new Map<string, DeliveryQueue<object>>();
  return definePlugin<Config>({
    name: 'opentelemetry',
    priority: 14,
    access(context, config) {
      const trace = traceOf(context, config.sampling_rate ?? 1, random);
      context.shared.set(traceKey, trace);
      const flags = trace.isSampled ? '01' : '00';
      context.upstream?.headers.set(
        'traceparent',
        `00-${trace.traceId}-${trace.upstreamSpanId}-${flags}`,
      );
    },
    headerFilter(context, config) {
      const trace = context.shared.get(traceKey) as Trace | undefined;
      const name = config.http_response_header_for_traceid;
      if (trace !== undefined && name !== null) {
        context.response?.headers.set(name, trace.traceId);
      }
    },
    log(context, config) {
      const trace = context.shared.get(traceKey) as Trace | undefined;
      const endpoint = config.traces_endpoint;
      if (trace === undefined || !trace.isSampled || endpoint === null) {
        return;
      }
      queueFor(queues, context, config, endpoint).push(spanOf(context, trace));
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  });
}

function traceOf(context: RequestContext, rate: number, random: () => number): Trace {
  const given = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(
    context.headers.get('traceparent') ?? '',
  );
  const ids = {
    spanId: randomBytes(8).toString('hex'),
    upstreamSpanId: randomBytes(8).toString('hex'),
  };
  if (given?.[1] === undefined || /^0+$/.test(given[1])) {
    const traceId = randomBytes(16).toString('hex');
    return { ...ids, traceId, parentId: undefined, isSampled: random() < rate };
  }
  const isSampled = (Number.parseInt(given[3] ?? '0', 16) & 1) === 1;
  return { ...ids, traceId: given[1], parentId: given[2], isSampled };
}

function queueFor(
  queues: Map<string, DeliveryQueue<object>>,
  context: RequestContext,
  config: Config,
  endpoint: string,
): DeliveryQueue<object> {
  const key = JSON.stringify([endpoint, config.headers, config.resource_attributes]);
  let queue = queues.get(key);
  if (queue === undefined) {
    const { log } = context.runtime;
    const settings = { ...defaultQueue, max_batch_size: 200, ...config.queue };
    queue = new DeliveryQueue(
      settings,
      (batch) => exportSpans(config, endpoint, batch),
      (count, error) => log.error('spans are lost', { count, error: String(error) }),
    );
    queues.set(key, queue);
  }
  return queue;
}

async function exportSpans(
  config: Config,
  endpoint: string,
  spans: readonly object[],
): Promise<void> {
  const attributes = { 'service.name': 'kong', ...config.resource_attributes };
  const response = await request(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...config.headers },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: toAttributes(attributes) },
          scopeSpans: [{ scope: { name: 'kong-internal' }, spans }],
        },
      ],
    }),
    headersTimeout: config.read_timeout,
  });
  await response.body.dump();
  if (response.statusCode >= 300) {
    throw new Error(`the collector answered ${response.statusCode}`);
  }
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
