import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { discardBody, HttpClient, targetOf } from '@waygate/text';
import { nodeId } from '../../node-id.ts';
import { defaultQueue } from '../../plugin/delivery-queue.ts';
import {
  DeliveryQueues,
  type OldQueueSettings,
  queueSettings,
} from '../../plugin/delivery-queues.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import type { TraceFormatName } from '../opentelemetry/trace-format.ts';
import {
  extractTrace,
  injectTrace,
  type PropagationConfig,
} from '../opentelemetry/trace-propagation.ts';

interface ZipkinConfig extends OldQueueSettings {
  readonly http_endpoint: string | null;
  readonly local_service_name: string;
  readonly default_service_name: string | null;
  readonly sample_ratio: number;
  readonly include_credential: boolean;
  readonly traceid_byte_count: 8 | 16;
  readonly header_type: string;
  readonly default_header_type: TraceFormatName;
  readonly tags_header: string;
  readonly static_tags: readonly { readonly name: string; readonly value: string }[] | null;
  readonly http_span_name: 'method' | 'method_path';
  readonly connect_timeout: number;
  readonly read_timeout: number;
  readonly http_response_header_for_traceid: string | null;
  readonly propagation?: PropagationConfig | null;
}

interface ZipkinTrace {
  readonly traceId: string;
  readonly parentId: string | undefined;
  readonly spanId: string;
  readonly proxySpanId: string;
  readonly isSampled: boolean;
}

const traceKey = 'zipkin trace';

/** Passes traces on, and reports the spans of those that are sampled to a Zipkin server. */
export function zipkin(random: () => number): AnyPlugin {
  const queues = new DeliveryQueues<readonly object[]>((spans) => JSON.stringify(spans).length);
  const client = new HttpClient();
  return definePlugin<ZipkinConfig>({
    name: 'zipkin',
    priority: 100_000,
    access(context, config) {
      const propagation = {
        default_format: config.default_header_type,
        ...withoutNulls(config.propagation),
      };
      const found = extractTrace(context.headers, propagation, config.header_type);
      const trace: ZipkinTrace = {
        traceId: found?.context.traceId ?? randomBytes(config.traceid_byte_count).toString('hex'),
        parentId: found?.context.spanId,
        spanId: randomBytes(8).toString('hex'),
        proxySpanId: randomBytes(8).toString('hex'),
        // Who began the trace has decided.
        isSampled: found?.context.isSampled ?? random() < config.sample_ratio,
      };
      context.shared.set(traceKey, trace);
      if (context.upstream !== undefined) {
        const { traceId, proxySpanId: spanId, isSampled } = trace;
        const { headers } = context.upstream;
        injectTrace(
          headers,
          { traceId, spanId, isSampled },
          found,
          propagation,
          config.header_type,
        );
      }
    },
    headerFilter(context, config) {
      const trace = context.shared.get(traceKey) as ZipkinTrace | undefined;
      const name = config.http_response_header_for_traceid;
      if (trace !== undefined && name !== null && name !== undefined) {
        context.response?.headers.set(name, trace.traceId);
      }
    },
    log(context, config) {
      const trace = context.shared.get(traceKey) as ZipkinTrace | undefined;
      const endpoint = config.http_endpoint;
      if (trace === undefined || !trace.isSampled || endpoint === null) return;
      const settings = queueSettings(config, defaultQueue);
      queues
        .get(JSON.stringify([endpoint, settings]), context.runtime.log, settings, (batch, signal) =>
          report(client, config, endpoint, batch.flat(), signal),
        )
        .push(spansOf(context, config, trace));
    },
    async close() {
      await queues.close();
      client.close();
    },
  });
}

/** Kong fills the fields of a record that is there with nulls. */
function withoutNulls(propagation: PropagationConfig | null | undefined): PropagationConfig {
  return Object.fromEntries(
    Object.entries(propagation ?? {}).filter(([, value]) => value !== null),
  );
}

async function report(
  client: HttpClient,
  config: ZipkinConfig,
  endpoint: string,
  spans: readonly object[],
  signal: AbortSignal,
): Promise<void> {
  const response = await client.send({
    method: 'POST',
    ...targetOf(new URL(endpoint)),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(spans),
    connectTimeoutMs: config.connect_timeout,
    idleTimeoutMs: config.read_timeout,
    signal,
  });
  discardBody(response);
  if (response.statusCode >= 300) {
    throw new Error(`the Zipkin server answered ${response.statusCode}`);
  }
}

/** The request, what the upstream had of it, and each try to reach one. */
function spansOf(
  context: RequestContext,
  config: ZipkinConfig,
  trace: ZipkinTrace,
): readonly object[] {
  const { timings, method, client, service } = context;
  const now = performance.now();
  const epochMs = context.runtime.now() - now;
  const microseconds = (at: number) => Math.round((epochMs + at) * 1_000);
  const name = config.http_span_name === 'method_path' ? `${method} ${pathOf(context)}` : method;
  const span = (id: string, parentId: string | undefined, from: number, to: number) => ({
    traceId: trace.traceId,
    id,
    ...(parentId === undefined ? {} : { parentId }),
    timestamp: microseconds(from),
    duration: Math.max(Math.round((to - from) * 1_000), 1),
    localEndpoint: { serviceName: config.local_service_name },
  });
  const spans: object[] = [
    {
      ...span(trace.spanId, trace.parentId, timings.startedAt, now),
      name,
      kind: 'SERVER',
      remoteEndpoint: endpointOf(client.ip, client.remotePort),
      tags: tagsOf(context, config),
    },
  ];
  if (timings.proxiedAt > 0) {
    const answered = timings.upstreamAnsweredAt || now;
    const last = context.tries.at(-1);
    const serviceName = service?.name ?? config.default_service_name ?? undefined;
    const endpoint = (address: string, port: number) => ({
      ...(serviceName === undefined ? {} : { serviceName }),
      ...endpointOf(address, port),
    });
    spans.push({
      ...span(trace.proxySpanId, trace.spanId, timings.proxiedAt, now),
      name: `${name} (proxy)`,
      kind: 'CLIENT',
      ...(last === undefined ? {} : { remoteEndpoint: endpoint(last.address, last.port) }),
      tags: {},
    });
    context.tries.forEach((attempt, index) => {
      const until = context.tries[index + 1]?.startedAt ?? answered;
      const isFailed = attempt.state === 'failed';
      spans.push({
        ...span(randomBytes(8).toString('hex'), trace.spanId, attempt.startedAt, until),
        name: `${name} (balancer try ${index + 1})`,
        kind: 'CLIENT',
        remoteEndpoint: endpoint(attempt.address, attempt.port),
        tags: { 'kong.balancer.try': String(index + 1), ...(isFailed ? { error: 'true' } : {}) },
      });
    });
  }
  return spans;
}

function pathOf(context: RequestContext): string {
  return context.target.split('?')[0] ?? '';
}

function endpointOf(address: string, port: number): object {
  return { [isIP(address) === 6 ? 'ipv6' : 'ipv4']: address, port };
}

function tagsOf(context: RequestContext, config: ZipkinConfig): Record<string, string> {
  const { client, match, service, consumer, credential } = context;
  const route = match?.entry.route;
  const status = context.response?.status ?? 499;
  const facts: Record<string, string | null | undefined> = {
    lc: 'kong',
    'http.method': context.method,
    'http.host': client.forwardedHost,
    'http.path': pathOf(context),
    'http.protocol': `HTTP/${context.request.httpVersion}`,
    'http.status_code': String(status),
    'kong.node.id': nodeId,
    'kong.route': route?.id,
    'kong.route_name': route?.name,
    'kong.service': service?.id,
    'kong.service_name': service?.name,
    'kong.consumer': consumer?.id,
    'kong.credential': config.include_credential ? credential?.id : undefined,
    ...(status >= 500 ? { error: 'true' } : {}),
    ...Object.fromEntries((config.static_tags ?? []).map(({ name, value }) => [name, value])),
    ...tagsOfHeader(context.headers.get(config.tags_header)),
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

/** `a=1;b=2`, as clients may send it. */
function tagsOfHeader(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(';').flatMap((part) => {
    const [name = '', value] = part.split('=', 2);
    return value === undefined || name.trim() === '' ? [] : [[name.trim(), value.trim()] as const];
  });
  return Object.fromEntries(pairs);
}
