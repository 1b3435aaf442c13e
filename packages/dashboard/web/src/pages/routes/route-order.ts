import type { RouteRow, RouteTraffic } from '../../../../src/protocol/routes.ts';
import { shownPaths } from '../../../../src/view/route-paths.ts';
import type { TrafficOf } from './route-filter.ts';
import { trafficNow } from './traffic.ts';

export type RouteOrder = 'name' | 'rate' | 'errors' | 'latency';

const { compare: compareNames } = new Intl.Collator('en', { numeric: true });
const names = new WeakMap<RouteRow, string>();

/**
 * Rows by their names, kept from one change to the next: 10,000 names take longer to compare than a frame lasts, and
 * hardly any change touches one. Invariant: `#known` is in order, and has the name of each as it was put there.
 */
export class NameOrder {
  #known: readonly { readonly id: string; readonly name: string }[] = [];
  readonly #compare: (one: string, other: string) => number;

  constructor(compare = compareNames) {
    this.#compare = compare;
  }

  of(rows: readonly RouteRow[]): readonly RouteRow[] {
    const left = new Map(rows.map((row) => [row.id, row]));
    const kept: RouteRow[] = [];
    let isOrdered = true;
    for (const { id, name } of this.#known) {
      const row = left.get(id);
      if (row === undefined) continue;
      left.delete(id);
      kept.push(row);
      isOrdered &&= nameOf(row) === name;
    }
    if (isOrdered && left.size === 0 && kept.length === this.#known.length) return kept;
    // What is in order already costs one comparison each.
    const ordered = [...kept, ...left.values()].sort((one, other) =>
      this.#compare(nameOf(one), nameOf(other)),
    );
    this.#known = ordered.map((row) => ({ id: row.id, name: nameOf(row) }));
    return ordered;
  }
}

/** Of rows in the order of their names: numbers downwards, since one looks for the most; ties do not dance. */
export function orderRoutes(
  rows: readonly RouteRow[],
  order: RouteOrder,
  trafficOf: TrafficOf,
): readonly RouteRow[] {
  if (order === 'name') return rows;
  const numbers = new Map(rows.map(({ id }) => [id, orderNumber(trafficOf(id), order)]));
  return rows.toSorted((one, other) => (numbers.get(other.id) ?? 0) - (numbers.get(one.id) ?? 0));
}

function orderNumber(traffic: RouteTraffic | undefined, order: RouteOrder): number {
  if (!traffic) return -1;
  const now = trafficNow(traffic);
  if (order === 'rate') return now.perSecond;
  return order === 'errors' ? now.errorShare : (now.p99 ?? -1);
}

function nameOf(row: RouteRow): string {
  const known = names.get(row);
  if (known !== undefined) return known;
  // As it is shown: a pattern stands where people would look for the path.
  const name = `${row.hosts[0] ?? '~'}${shownPaths(row.paths)[0] ?? ''} ${row.name}`;
  names.set(row, name);
  return name;
}
