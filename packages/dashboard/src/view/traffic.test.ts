import { expect, test } from 'vitest';
import { gatewayMetrics } from './prometheus-text.ts';
import { TrafficModel } from './traffic.ts';

const text = (requests: number, errors: number, quick: number): string =>
  [
    '# HELP kong_http_requests_total HTTP status codes',
    `kong_http_requests_total{service="s",route="shop \\"a\\"",code="200",source="service",workspace="default",consumer=""} ${requests - errors}`,
    `kong_http_requests_total{service="s",route="shop \\"a\\"",code="503",source="exit",workspace="default",consumer=""} ${errors}`,
    `kong_request_latency_ms_bucket{service="s",route="shop \\"a\\"",workspace="default",le="25"} ${quick}`,
    `kong_request_latency_ms_bucket{service="s",route="shop \\"a\\"",workspace="default",le="100"} ${requests}`,
    `kong_request_latency_ms_bucket{service="s",route="shop \\"a\\"",workspace="default",le="+Inf"} ${requests}`,
    'kong_nginx_requests_total{node_id="x"} 7',
  ].join('\n');
const name = 'shop "a"';

const routesOf = async (metrics: string) =>
  (await gatewayMetrics(metrics, async () => undefined)).routes;

test('two looks make a slot, with rates, errors and latencies', async () => {
  const model = new TrafficModel();
  expect(model.look(await routesOf(text(100, 0, 100)), 10).moved).toEqual([]);
  expect(model.trafficOf(name, 'r')).toBeUndefined();
  expect(model.look(await routesOf(text(120, 2, 110)), 20).moved).toEqual([name]);
  expect(model.trafficOf(name, 'r')).toEqual({
    id: 'r',
    slotMs: 10_000,
    endedAt: 20,
    requests: [0, 20],
    errors: [0, 2],
    p50: [null, 25],
    p99: [null, 98.5],
  });
});

test('a gateway that starts again counts from nothing, and one that is quiet is forgotten', async () => {
  const model = new TrafficModel(10_000, 3);
  model.look(await routesOf(text(100, 0, 100)), 1);
  model.look(await routesOf(text(7, 0, 7)), 2);
  expect(model.trafficOf(name, 'r')?.requests).toEqual([0, 7]);
  expect(model.look(await routesOf(text(7, 0, 7)), 3)).toEqual({ moved: [name], gone: [] });
  expect(model.look(await routesOf(text(7, 0, 7)), 4).gone).toEqual([]);
  expect(model.look(await routesOf(text(7, 0, 7)), 5).gone).toEqual([name]);
  expect(model.trafficOf(name, 'r')).toBeUndefined();
  for (let look = 6; look < 12; look += 1) model.look(new Map(), look);
  expect(model.look(await routesOf(text(9, 0, 9)), 12).moved).toEqual([name]);
});

test('a route that fell quiet is told of until its last minute is empty', async () => {
  const model = new TrafficModel(10_000, 30);
  model.look(await routesOf(text(100, 0, 100)), 1);
  model.look(await routesOf(text(107, 0, 7)), 2);
  const quiet = await routesOf(text(107, 0, 7));
  const told = Array.from({ length: 8 }, (_, index) => model.look(quiet, 3 + index).moved.length);
  expect(told).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
});

test('the health of targets is read, by upstream; one address that answers is enough', async () => {
  const health = (upstream: string, target: string, address: string, state: string, value = 1) =>
    `kong_upstream_target_health{upstream="${upstream}",target="${target}",address="${address}",state="${state}",subsystem="http"} ${value}`;
  const lines = [
    health('web', 'a:80', '10.0.0.1:80', 'unhealthy'),
    health('web', 'a:80', '10.0.0.2:80', 'healthy'),
    health('web', 'b:80', '10.0.0.3:80', 'healthy', 0),
    health('web', 'b:80', '10.0.0.3:80', 'unhealthy'),
    health('api', 'c:80', '', 'dns_error'),
    health('api', 'd:80', '10.0.0.4:80', 'healthchecks_off'),
  ];
  let pauses = 0;
  const many = Array.from({ length: 4_000 }, () => '# HELP x')
    .concat(lines)
    .join('\n');
  const { targets } = await gatewayMetrics(many, async () => {
    pauses += 1;
  });
  expect(pauses).toBe(2);
  expect([...targets].map(([upstream, found]) => [upstream, Object.fromEntries(found)])).toEqual([
    ['web', { 'a:80': 'healthy', 'b:80': 'degraded' }],
    ['api', { 'c:80': 'degraded', 'd:80': 'healthy' }],
  ]);
});
