import { afterEach, describe, expect, test, vi } from 'vitest';
import type { BalancerRegistry } from '../balancer/balancer-registry.ts';
import { HeaderList } from '../http/header-list.ts';
import type { RequestContext } from '../plugin/request-context.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { retire } from './metrics-report.ts';
import { renderMetrics, sumConnections } from './render-metrics.ts';

const everything = { perConsumer: true, statusCodes: true, latency: true, bandwidth: true };
const nothing = { perConsumer: false, statusCodes: false, latency: false, bandwidth: false };
const entry = { route: { id: 'i', name: 'r' }, service: { name: 's', host: 'h' } };

/** A request that took so many milliseconds in all, and in its upstream. */
function request({
  status = 200,
  total = 30,
  upstream = 20,
  ...more
}: Record<string, unknown> = {}) {
  return {
    match: { entry },
    headers: new HeaderList(['a', 'b']),
    requestBytes: 5,
    responseBytes: 7,
    response: { status, source: 'upstream', headers: new HeaderList(['cc', 'dd']) },
    timings: {
      startedAt: 1_000 - (total as number),
      proxiedAt: 900,
      upstreamAnsweredAt: upstream === 0 ? 0 : 900 + (upstream as number),
    },
    ...more,
  } as unknown as RequestContext;
}

function shown(metrics: GatewayMetrics, family: string, balancers: readonly unknown[] = []) {
  const registry = { balancers } as unknown as BalancerRegistry;
  return renderMetrics([metrics.report()], registry)
    .split('\n')
    .filter((line) => line.startsWith(family));
}

afterEach(() => vi.restoreAllMocks());

describe('requests', () => {
  test('are counted by status, source, route and consumer', () => {
    const metrics = new GatewayMetrics();
    const ask = (fields: Record<string, unknown>) =>
      metrics.observeRequest(request(fields), everything);
    ask({});
    ask({});
    ask({ status: 404 });
    ask({ consumer: { username: 'ann', custom_id: 'c' } });
    ask({ consumer: { custom_id: 'c' } });
    ask({ response: { status: 401, source: 'exit', headers: new HeaderList() } });
    ask({ response: undefined });
    ask({ match: undefined });
    ask({ match: { entry: { route: { id: 'i' }, service: { host: 'h' } } } });
    ask({ match: { entry: { route: {} } } });
    const labels = 'service="s",route="r"';
    const rest = 'workspace="default"';
    expect(shown(metrics, 'kong_http_requests_total').sort()).toEqual(
      [
        `{service="",route="",code="200",source="service",${rest},consumer=""} 2`,
        `{service="h",route="i",code="200",source="service",${rest},consumer=""} 1`,
        `{${labels},code="200",source="service",${rest},consumer=""} 2`,
        `{${labels},code="200",source="service",${rest},consumer="ann"} 1`,
        `{${labels},code="200",source="service",${rest},consumer="c"} 1`,
        `{${labels},code="401",source="exit",${rest},consumer=""} 1`,
        `{${labels},code="404",source="service",${rest},consumer=""} 1`,
        `{${labels},code="499",source="error",${rest},consumer=""} 1`,
      ].map((line) => `kong_http_requests_total${line}`),
    );
  });

  test('are not counted where nobody asks for it, nor by consumer', () => {
    const metrics = new GatewayMetrics();
    metrics.observeRequest(request(), nothing);
    for (const family of ['kong_http', 'kong_bandwidth', 'kong_kong', 'kong_request_', 'kong_up'])
      expect(shown(metrics, family)).toEqual([]);
    const consumer = { username: 'ann' };
    metrics.observeRequest(request({ consumer }), { ...nothing, statusCodes: true });
    expect(shown(metrics, 'kong_http_requests_total')).toEqual([
      'kong_http_requests_total{service="s",route="r",code="200",source="service",workspace="default",consumer=""} 1',
    ]);
  });

  test('count the bytes of both heads and bodies', () => {
    const metrics = new GatewayMetrics();
    metrics.observeRequest(request(), everything);
    metrics.observeRequest(request(), everything);
    metrics.observeRequest(request({ consumer: { username: 'ann' } }), everything);
    const lines = shown(metrics, 'kong_bandwidth_bytes').map((line) => line.split('direction=')[1]);
    const counted = Object.fromEntries(
      lines.map((line = '') => {
        const [, direction, consumer, value] =
          /^"(\w+)",workspace="default",consumer="(\w*)"\} (\d+)$/.exec(line) ?? [];
        return [`${direction} ${consumer}`, Number(value)];
      }),
    );
    const { 'egress ann': sent = 0, 'ingress ann': received = 0 } = counted;
    expect(counted).toEqual({
      'egress ': 2 * sent,
      'ingress ': 2 * received,
      'egress ann': sent,
      'ingress ann': received,
    });
    // Two letters more in the answer's head, and two bytes more in its body.
    expect(sent - received).toBe(4);
  });

  test('take their time in all, in the upstream, and in between', () => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const metrics = new GatewayMetrics();
    metrics.observeRequest(request(), everything);
    metrics.observeRequest(request({ total: 90, upstream: 0 }), everything);
    const bounds = (family: string) =>
      shown(metrics, `${family}_bucket`).map((line) => {
        const [, bound, value] = /le="([^"]+)"\} (\d+)$/.exec(line) ?? [];
        return `${bound}: ${value}`;
      });
    expect(bounds('kong_kong_latency_ms').join(', ')).toBe(
      '1: 0, 2: 0, 5: 0, 7: 0, 10: 1, 15: 1, 20: 1, 30: 1, 50: 1, 75: 1, 100: 2, 200: 2, 500: 2, 750: 2, 1000: 2, 3000: 2, 6000: 2, +Inf: 2',
    );
    expect(bounds('kong_request_latency_ms').join(', ')).toBe(
      '25: 0, 50: 1, 80: 1, 100: 2, 250: 2, 400: 2, 700: 2, 1000: 2, 2000: 2, 5000: 2, 10000: 2, 30000: 2, 60000: 2, +Inf: 2',
    );
    expect(bounds('kong_upstream_latency_ms').join(', ')).toBe(
      '25: 1, 50: 1, 80: 1, 100: 1, 250: 1, 400: 1, 700: 1, 1000: 1, 2000: 1, 5000: 1, 10000: 1, 30000: 1, 60000: 1, +Inf: 1',
    );
    const ends = ['kong', 'request', 'upstream'].flatMap((name) =>
      ['sum', 'count'].flatMap((end) => shown(metrics, `kong_${name}_latency_ms_${end}`)),
    );
    expect(ends.map((line) => line.split('} ')[1])).toEqual(['100', '2', '120', '2', '20', '1']);
  });
});

describe('streams and connections', () => {
  test('are counted', () => {
    const metrics = new GatewayMetrics();
    metrics.observeStream({
      route: 'r',
      service: 's',
      sentBytes: 3,
      receivedBytes: 4,
      durationMs: 1,
    });
    metrics.observeStream({
      route: 'r',
      service: 's',
      sentBytes: 3,
      receivedBytes: 4,
      durationMs: 1,
    });
    expect(shown(metrics, 'kong_stream_sessions_total')).toEqual([
      'kong_stream_sessions_total{service="s",route="r",workspace="default",code="200",source="service"} 2',
    ]);
    expect(shown(metrics, 'kong_bandwidth_bytes').sort()).toEqual([
      'kong_bandwidth_bytes{service="s",route="r",direction="egress",workspace="default",consumer=""} 6',
      'kong_bandwidth_bytes{service="s",route="r",direction="ingress",workspace="default",consumer=""} 8',
    ]);
  });

  test('add up over processes, of which those that ended hold nothing open', () => {
    const metrics = new GatewayMetrics();
    for (let count = 0; count < 3; count += 1) metrics.connectionOpened();
    metrics.connectionClosed();
    metrics.requestStarted();
    metrics.requestStarted();
    metrics.requestEnded();
    const report = metrics.report();
    expect(sumConnections([report, retire(report)])).toEqual({
      total_requests: 4,
      connections_accepted: 6,
      connections_handled: 6,
      connections_active: 2,
      connections_reading: 0,
      connections_writing: 1,
      connections_waiting: 1,
    });
    expect(retire(report)).toMatchObject({ heapBytes: 0 });
    expect(shown(metrics, 'kong_nginx_connections_total').map((line) => line.slice(-22))).toEqual(
      [
        ['accepted', 3],
        ['active', 2],
        ['handled', 3],
        ['reading', 0],
        ['total', 2],
        ['waiting', 1],
        ['writing', 1],
      ].map(([state, value]) => expect.stringContaining(`"${state}"} ${value}`)),
    );
  });

  test('targets are shown with their health, once somebody asks for it', () => {
    const metrics = new GatewayMetrics();
    const state = { target: { target: 't:80' }, addresses: [{ authority: '10.0.0.1:80' }] };
    const balancer = { upstream: { name: 'u' }, states: [state], healthOf: () => 'UNHEALTHY' };
    expect(shown(metrics, 'kong_upstream_target_health', [balancer])).toEqual([]);
    metrics.areTargetsShown = true;
    expect(shown(metrics, 'kong_upstream_target_health', [balancer])).toEqual([
      'kong_upstream_target_health{upstream="u",target="t:80",address="10.0.0.1:80",state="unhealthy",subsystem="http"} 1',
    ]);
  });
});
