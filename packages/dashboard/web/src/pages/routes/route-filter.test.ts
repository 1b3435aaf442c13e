import { expect, test } from 'vitest';
import { shopRoutes, shopTraffic } from '../../../testing/shop-routes.ts';
import { filterRoutes, parseFilter } from './route-filter.ts';

const traffic = new Map(shopTraffic(0).map((one) => [one.id, one]));
const trafficOf = (id: string) => traffic.get(id);

function found(typed: string): string[] {
  return filterRoutes(shopRoutes, parseFilter(typed), trafficOf).map(
    ({ hosts, paths }) => `${hosts[0]}${paths[0]}`,
  );
}

test.each([
  ['cart', ['api.shop.example/cart']],
  ['CART', ['api.shop.example/cart']],
  ['plugin:hmac', ['pay.shop.example/webhooks']],
  ['ns:storefront', ['shop.example/', 'shop.example/assets']],
  ['ns:storefront -assets', ['shop.example/']],
  ['method:post', ['api.shop.example/checkout', 'pay.shop.example/webhooks']],
  ['is:degraded', ['api.shop.example/cart', 'api.shop.example/checkout']],
  ['is:failing -is:busy', []],
  ['is:failing', ['api.shop.example/cart', 'api.shop.example/checkout']],
  ['api.shop host:pay', []],
  ['monitoring/ingress.yaml', ['grafana.internal.example/']],
  // A colon behind a word that names no field is a part of the word.
  ['svc:80', found('')],
])('finds by %s', (typed, expected) => {
  expect(found(typed)).toEqual(expected);
});

test('a row is turned into text once, however often it is filtered', () => {
  let reads = 0;
  const row = { ...shopRoutes[0]! };
  const hosts = row.hosts;
  Object.defineProperty(row, 'hosts', {
    get: () => {
      reads++;
      return hosts;
    },
  });
  for (const typed of ['a', 'b', 'shop', 'host:shop'])
    filterRoutes([row], parseFilter(typed), trafficOf);
  expect(reads).toBe(1);
});
