import { expect, test } from 'vitest';
import { routeCounters } from './prometheus-text.ts';
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

test('two looks make a slot, with rates, errors and latencies', () => {
  const model = new TrafficModel();
  expect(model.look(routeCounters(text(100, 0, 100)), 10).busy).toEqual([]);
  expect(model.trafficOf(name, 'r')).toBeUndefined();
  expect(model.look(routeCounters(text(120, 2, 110)), 20).busy).toEqual([name]);
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

test('a gateway that starts again counts from nothing, and one that is quiet is forgotten', () => {
  const model = new TrafficModel(10_000, 3);
  model.look(routeCounters(text(100, 0, 100)), 1);
  model.look(routeCounters(text(7, 0, 7)), 2);
  expect(model.trafficOf(name, 'r')?.requests).toEqual([0, 7]);
  expect(model.look(routeCounters(text(7, 0, 7)), 3)).toEqual({ busy: [], gone: [] });
  expect(model.look(routeCounters(text(7, 0, 7)), 4).gone).toEqual([]);
  expect(model.look(routeCounters(text(7, 0, 7)), 5).gone).toEqual([name]);
  expect(model.trafficOf(name, 'r')).toBeUndefined();
  for (let look = 6; look < 12; look += 1) model.look(new Map(), look);
  expect(model.look(routeCounters(text(9, 0, 9)), 12).busy).toEqual([name]);
});
