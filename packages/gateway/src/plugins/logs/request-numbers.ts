import type { KongConsumer, KongService } from '@waygate/kong';
import { workspaceId } from '../../plugin/log-entry.ts';
import type { RequestContext } from '../../plugin/request-context.ts';

/** What can be counted of a request: milliseconds and bytes. Undefined if there is no such number. */
interface RequestNumbers {
  readonly status: number;
  readonly latency: number;
  readonly kong_latency: number;
  readonly upstream_latency: number | undefined;
  readonly request_size: number;
  readonly response_size: number;
}

/** Reads the numbers of a request that has ended. */
export function requestNumbers(context: RequestContext): RequestNumbers {
  const { timings, response } = context;
  const latency = Math.round(performance.now() - timings.startedAt);
  const waited =
    timings.upstreamAnsweredAt > 0
      ? Math.round(timings.upstreamAnsweredAt - timings.proxiedAt)
      : undefined;
  return {
    status: response?.status ?? 499,
    latency,
    kong_latency: Math.max(latency - (waited ?? 0), 0),
    upstream_latency: waited,
    request_size: context.requestBytes,
    response_size: context.responseBytes,
  };
}

export type ConsumerIdentifier = 'consumer_id' | 'custom_id' | 'username';

/** How a consumer is called in the name of a metric; undefined if it has no such name. */
export function consumerName(
  consumer: KongConsumer | undefined,
  by: ConsumerIdentifier,
): string | undefined {
  const name = {
    consumer_id: consumer?.id?.replaceAll('-', '_'),
    custom_id: consumer?.custom_id,
    username: consumer?.username,
  }[by];
  return name ?? undefined;
}

export type ServiceIdentifier =
  | 'service_id'
  | 'service_name'
  | 'service_host'
  | 'service_name_or_host';

/** How a service is called in the name of a metric; undefined if it has no such name. */
export function serviceName(
  service: KongService | undefined,
  by: ServiceIdentifier,
): string | undefined {
  const name = {
    service_id: service?.id?.replaceAll('-', '_'),
    service_name: service?.name,
    service_host: service?.host,
    service_name_or_host: service?.name ?? service?.host,
  }[by];
  return name ?? undefined;
}

/** How the only workspace is called in the name of a metric. */
export function workspaceName(by: 'workspace_id' | 'workspace_name'): string {
  return by === 'workspace_name' ? 'default' : workspaceId.replaceAll('-', '_');
}
