import { defaultQueue } from '../../plugin/delivery-queue.ts';
import {
  DeliveryQueues,
  type OldQueueSettings,
  queueSettings,
} from '../../plugin/delivery-queues.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { DatagramSender } from './datagram-sender.ts';
import { metricLine } from './metric-line.ts';
import {
  type ConsumerIdentifier,
  consumerName,
  requestNumbers,
  serviceName,
} from './request-numbers.ts';

interface DatadogConfig extends OldQueueSettings {
  readonly host: string;
  readonly port: number;
  readonly prefix: string | null;
  readonly service_name_tag: string | null;
  readonly status_tag: string | null;
  readonly consumer_tag: string | null;
  readonly metrics: readonly DatadogMetric[] | null;
}

interface DatadogMetric {
  readonly name: keyof typeof names;
  readonly stat_type: string;
  readonly tags?: readonly string[] | null;
  readonly sample_rate?: number | null;
  readonly consumer_identifier?: ConsumerIdentifier | null;
}

/** What Kong calls a metric, and what the agent does. */
const names = {
  request_count: 'request.count',
  request_size: 'request.size',
  response_size: 'response.size',
  latency: 'latency',
  upstream_latency: 'upstream_latency',
  kong_latency: 'kong_latency',
} as const;

/** Sends numbers of each request to a Datadog agent. */
export function datadog(): AnyPlugin {
  const sender = new DatagramSender();
  const queues = new DeliveryQueues<readonly string[]>((lines) => lines.join('').length);
  return definePlugin<DatadogConfig>({
    name: 'datadog',
    priority: 10,
    log(context, config) {
      const { host, port } = config;
      const settings = queueSettings(config, defaultQueue);
      queues
        .get(JSON.stringify([host, port, settings]), context.runtime.log, settings, (batch) =>
          sender.send(host, port, batch.flat()),
        )
        .push(datadogLines(context, config));
    },
    async close() {
      await queues.close();
      sender.close();
    },
  });
}

function datadogLines(context: RequestContext, config: DatadogConfig): readonly string[] {
  const numbers = requestNumbers(context);
  return (config.metrics ?? []).flatMap((metric) => {
    const value = metric.name === 'request_count' ? 1 : numbers[metric.name];
    if (value === undefined) return [];
    const service = serviceName(context.service, 'service_name_or_host') ?? '';
    const consumer = consumerName(context.consumer, metric.consumer_identifier ?? 'custom_id');
    const tags: (readonly [string, string])[] = [
      [config.service_name_tag ?? 'name', service],
      [config.status_tag ?? 'status', String(numbers.status)],
      ...(consumer === undefined ? [] : ([[config.consumer_tag ?? 'consumer', consumer]] as const)),
      ...(metric.tags ?? []).map((tag) => splitTag(tag)),
    ];
    return [
      metricLine(config.prefix ?? 'kong', {
        name: names[metric.name],
        value,
        kind: metric.stat_type,
        rate: metric.sample_rate,
        tags,
      }),
    ];
  });
}

function splitTag(tag: string): readonly [string, string] {
  const colon = tag.indexOf(':');
  return colon === -1 ? [tag, ''] : [tag.slice(0, colon), tag.slice(colon + 1)];
}
