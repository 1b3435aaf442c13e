import { hostname } from 'node:os';
import { defaultQueue } from '../../plugin/delivery-queue.ts';
import {
  DeliveryQueues,
  type OldQueueSettings,
  queueSettings,
} from '../../plugin/delivery-queues.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { DatagramSender } from './datagram-sender.ts';
import { sendLines } from './line-sender.ts';
import { type Metric, metricLine, packLines, type TagStyle } from './metric-line.ts';
import {
  type ConsumerIdentifier,
  consumerName,
  requestNumbers,
  type ServiceIdentifier,
  serviceName,
  workspaceName,
} from './request-numbers.ts';

interface StatsdConfig extends OldQueueSettings {
  readonly host: string;
  readonly port: number;
  readonly prefix: string | null;
  readonly metrics: readonly StatsdMetric[] | null;
  /** Statuses that are counted: `200-299`. */
  readonly allow_status_codes: readonly string[] | null;
  readonly udp_packet_size: number | null;
  readonly use_tcp: boolean;
  readonly hostname_in_prefix: boolean;
  readonly consumer_identifier_default: ConsumerIdentifier;
  readonly service_identifier_default: ServiceIdentifier;
  readonly workspace_identifier_default: 'workspace_id' | 'workspace_name';
  readonly tag_style: TagStyle | null;
}

interface StatsdMetric {
  readonly name: string;
  readonly stat_type: string;
  readonly sample_rate?: number | null;
  readonly consumer_identifier?: ConsumerIdentifier | null;
  readonly service_identifier?: ServiceIdentifier | null;
  readonly workspace_identifier?: 'workspace_id' | 'workspace_name' | null;
}

const tcpTimeoutMs = 10_000;

/** Sends numbers of each request to a StatsD server. */
export function statsd(): AnyPlugin {
  const sender = new DatagramSender();
  const queues = new DeliveryQueues<readonly string[]>((lines) => lines.join('').length);
  return definePlugin<StatsdConfig>({
    name: 'statsd',
    priority: 11,
    log(context, config) {
      const { host, port, use_tcp: isTcp, udp_packet_size: bytes } = config;
      const settings = queueSettings(config, defaultQueue);
      const key = JSON.stringify([host, port, isTcp, bytes, settings]);
      queues
        .get(key, context.runtime.log, settings, (batch, signal) => {
          const lines = batch.flat();
          return isTcp
            ? sendLines({ host, port, timeoutMs: tcpTimeoutMs }, lines.map(ended), signal)
            : sender.send(host, port, packLines(lines, bytes ?? 0));
        })
        .push(statsdLines(context, config));
    },
    async close() {
      await queues.close();
      sender.close();
    },
  });
}

function ended(line: string): string {
  return `${line}\n`;
}

function statsdLines(context: RequestContext, config: StatsdConfig): readonly string[] {
  const host = hostname().replace(/[.:/]/g, '_');
  const prefix = `${config.prefix ?? 'kong'}${config.hostname_in_prefix ? `.${host}` : ''}`;
  return (config.metrics ?? []).flatMap((metric) =>
    metricOf(context, config, metric).map((each) =>
      config.tag_style === null || config.tag_style === undefined
        ? metricLine(prefix, { ...each, tags: [] })
        : metricLine(prefix, each, config.tag_style),
    ),
  );
}

/** What a metric is for a request: one, or none if it says nothing of it. */
function metricOf(
  context: RequestContext,
  config: StatsdConfig,
  metric: StatsdMetric,
): readonly Metric[] {
  const numbers = requestNumbers(context);
  const { status } = numbers;
  const user = consumerName(
    context.consumer,
    metric.consumer_identifier ?? config.consumer_identifier_default,
  );
  const service = serviceOf(context, config, metric);
  const by = metric.workspace_identifier ?? config.workspace_identifier_default;
  const isTagged = config.tag_style !== null && config.tag_style !== undefined;
  const routeId = context.match?.entry.route.id?.replaceAll('-', '_') ?? '';
  const tags: (readonly [string, string])[] = [
    ['service', service.replace('service.', '')],
    ['route', String(context.match?.entry.route.name ?? routeId)],
    ['workspace', workspaceName(by)],
    ...(user === undefined ? [] : ([['consumer', user]] as const)),
    ['node', hostname()],
    ['status', String(status)],
  ];
  const one = (name: string, value: number | string = 1, scope = service): readonly Metric[] => [
    {
      name: isTagged ? name : `${scope}.${name}`,
      value,
      kind: metric.stat_type,
      rate: metric.sample_rate,
      tags,
    },
  ];
  const isCounted = isAllowed(config.allow_status_codes, status);
  const short = (full: string, tagged: string) => (isTagged ? tagged : full);
  switch (metric.name) {
    case 'request_count':
      return one('request.count');
    case 'request_size':
      return one('request.size', numbers.request_size);
    case 'response_size':
      return one('response.size', numbers.response_size);
    case 'latency':
      return one('latency', numbers.latency);
    case 'kong_latency':
      return one('kong_latency', numbers.kong_latency);
    case 'upstream_latency':
      return numbers.upstream_latency === undefined
        ? []
        : one('upstream_latency', numbers.upstream_latency);
    case 'status_count':
      return isCounted ? one(short(`status.${status}`, 'status')) : [];
    case 'unique_users':
      return user === undefined ? [] : one('user.uniques', user);
    case 'request_per_user':
      return user === undefined
        ? []
        : one(short(`user.${user}.request.count`, 'user.request.count'));
    case 'status_count_per_user':
      return user === undefined || !isCounted
        ? []
        : one(short(`user.${user}.status.${status}`, 'user.status'));
    case 'status_count_per_workspace':
      return isCounted
        ? one(short(`workspace.${workspaceName(by)}.status.${status}`, 'workspace.status'))
        : [];
    case 'status_count_per_user_per_route':
      return user === undefined || !isCounted || routeId === ''
        ? []
        : one(short(`user.${user}.status.${status}`, 'user.status'), 1, `route.${routeId}`);
    default:
      // Memory that nginx shares between its processes: there is none here.
      return [];
  }
}

function serviceOf(context: RequestContext, config: StatsdConfig, metric: StatsdMetric): string {
  if (context.service === undefined) return 'global.unmatched';
  const by = metric.service_identifier ?? config.service_identifier_default;
  return `service.${serviceName(context.service, by)?.replaceAll('.', '_') ?? 'unnamed'}`;
}

function isAllowed(ranges: readonly string[] | null, status: number): boolean {
  if (ranges === null || ranges === undefined || ranges.length === 0) return true;
  return ranges.some((range) => {
    const [from, to] = range.split('-').map(Number);
    return from !== undefined && to !== undefined && from <= status && status <= to;
  });
}
