import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RouteRow } from '../../../../src/protocol/routes.ts';
import { manyRoutes } from '../../../testing/many-routes.ts';
import { shopRoutes, shopTraffic } from '../../../testing/shop-routes.ts';
import { NameOrder, orderRoutes } from './route-order.ts';

const traffic = new Map(shopTraffic(0).map((one) => [one.id, one]));
const trafficOf = (id: string) => traffic.get(id);
const named = new NameOrder().of(shopRoutes);

test('orders by what is most, and by address where that is the same', () => {
  const rates = orderRoutes(named, 'rate', trafficOf).map(({ paths }) => paths[0]);
  expect(rates.slice(0, 2)).toEqual(['/assets', '/catalog']);
  const errors = orderRoutes(named, 'errors', trafficOf).map(({ paths }) => paths[0]);
  expect(errors.slice(0, 3)).toEqual(['/checkout', '/cart', '/catalog']);
});

test('whatever comes, goes and is renamed, the order is that of a fresh start', () => {
  const row = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    name: fc.constantFrom('1', '2', '10'),
  });
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 6 })), (turns) => {
      const order = new NameOrder();
      for (const turn of turns) {
        const rows = [...new Map(turn.map((one) => [one.id, one])).values()].map(
          ({ id, name }) => ({ ...shopRoutes[0]!, id, hosts: [name] }) as RouteRow,
        );
        const shown = order.of(rows);
        const namesOf = (all: readonly RouteRow[]) => all.map(({ hosts }) => hosts[0]);
        expect(namesOf(shown)).toEqual(namesOf(new NameOrder().of(rows)));
        expect(new Set(shown)).toEqual(new Set(rows));
      }
    }),
  );
});

test('a path stands where it is shown', () => {
  const [row] = shopRoutes;
  const at = (id: string, ...paths: string[]) => ({ ...row!, id, hosts: [], paths });
  const rows = [at('orders', '/orders/', '~/orders$'), at('catalog', '~/catalog$', '/catalog/')];
  expect(new NameOrder().of(rows).map(({ id }) => id)).toEqual(['catalog', 'orders']);
});

test('a change that renames nothing compares nothing; a new row costs about one look at each', () => {
  let comparisons = 0;
  const order = new NameOrder((one, other) => {
    comparisons += 1;
    return one < other ? -1 : Number(one > other);
  });
  const rows = manyRoutes(1_000);
  order.of(rows);
  comparisons = 0;
  const changed = rows.with(500, { ...rows[500]!, health: 'degraded' });
  expect(order.of(changed)).toContain(changed[500]);
  expect(comparisons).toBe(0);
  order.of([...changed, { ...rows[0]!, id: 'new', hosts: ['m.example'] }]);
  expect(comparisons).toBeLessThan(1_100);
});
