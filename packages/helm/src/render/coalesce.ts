import type { HelmMajor } from '../engine/values-type.ts';
import { Budget } from '../go/budget.ts';
import { sprintf } from '../go/format.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import { HelmError } from '../helm-error.ts';
import type { Log } from '../log-entry.ts';
import type { ChartNode } from './chart-node.ts';

/**
 * How values are put together. `coalesce` is for what templates see: a null takes a default away. `merge`
 * keeps nulls, for whoever coalesces later.
 */
type CoalesceMode = 'coalesce' | 'merge';

/** Puts a chart's and its subcharts' values together. */
export class Coalescer {
  readonly #helm: HelmMajor;
  readonly #log: Log;

  constructor(helm: HelmMajor, log: Log) {
    this.#helm = helm;
    this.#log = log;
  }

  /**
   * The values of a chart and its subcharts below given ones, which win. What is given stays as it is.
   *
   * @throws HelmError `WG_HELM_VALUES` when a subchart's section is not a map
   */
  values(chart: ChartNode, given: GoMap | undefined, mode: CoalesceMode): GoMap {
    const result = given === undefined ? new GoMap() : (copyValue(given) as GoMap);
    return this.#chart(chart, result, '', mode);
  }

  /** Adds to a map what another has and it has not. Both are changed. */
  tables(target: GoMap, source: GoMap, mode: CoalesceMode): GoMap {
    return this.#tables(target, source, '', mode);
  }

  #chart(chart: ChartNode, target: GoMap, prefix: string, mode: CoalesceMode): GoMap {
    this.#defaults(chart, target, prefix, mode);
    for (const child of chart.dependencies) {
      const section = target.get(child.name);
      if (section === undefined) target.set(child.name, new GoMap());
      else if (!(section instanceof GoMap)) {
        throw new HelmError(
          'WG_HELM_VALUES',
          `type mismatch on ${child.name}: ${sprintf('%t', [section], new Budget())}`,
        );
      }
      const inner = target.get(child.name) as GoMap;
      const innerPrefix = joinPath(prefix, chart.name);
      this.#globals(inner, target, innerPrefix);
      target.set(child.name, this.#chart(child, inner, innerPrefix, mode));
    }
    return target;
  }

  /** A parent's globals go down into its children's, and win there. */
  #globals(target: GoMap, source: GoMap, prefix: string): void {
    const own = target.has('global') ? target.get('global') : new GoMap();
    if (!(own instanceof GoMap)) {
      this.#warn(138, 'warning: skipping globals because destination global is not a table.');
      return;
    }
    const parents = source.has('global') ? source.get('global') : new GoMap();
    if (!(parents instanceof GoMap)) {
      this.#warn(145, 'warning: skipping globals because source global is not a table.');
      return;
    }
    for (const key of parents.sortedKeys()) this.#global(own, key, parents.get(key)!, prefix);
    target.set('global', own);
  }

  #global(own: GoMap, key: string, value: GoValue, prefix: string): void {
    const before = own.get(key);
    if (!(value instanceof GoMap)) {
      if (before instanceof GoMap) this.#warn(175, `key ${key} is table. Skipping`);
      else own.set(key, value);
      return;
    }
    const copy = new GoMap(new Map(value.entries), value.type);
    if (before === undefined) own.set(key, copy);
    else if (!(before instanceof GoMap)) {
      this.#warn(
        161,
        `Conflict: cannot merge map onto non-map for ${JSON.stringify(key)}. Skipping.`,
      );
    } else {
      this.#tables(copy, before, joinPath(prefix, key), 'merge');
      own.set(key, copy);
    }
  }

  #defaults(chart: ChartNode, target: GoMap, prefix: string, mode: CoalesceMode): void {
    if (chart.values === undefined) return;
    const path = joinPath(prefix, chart.name);
    const defaults = copyValue(chart.values) as GoMap;
    for (const key of defaults.sortedKeys()) {
      const value = defaults.get(key)!;
      const given = target.get(key);
      if (given === undefined) this.#takeDefault(target, key, value, mode);
      else if (given === null && mode === 'coalesce') target.delete(key);
      else if (given instanceof GoMap) this.#overDefault(chart, given, value, key, path, mode);
    }
  }

  /** Helm 4 leaves nulls of a chart's own out, so that they hide nothing. */
  #takeDefault(target: GoMap, key: string, value: GoValue, mode: CoalesceMode): void {
    if (this.#helm === 4 && mode === 'coalesce') {
      if (value === null) return;
      if (value instanceof GoMap) dropNulls(value);
    }
    target.set(key, value);
  }

  #overDefault(
    chart: ChartNode,
    given: GoMap,
    value: GoValue,
    key: string,
    path: string,
    mode: CoalesceMode,
  ): void {
    if (!(value instanceof GoMap)) {
      // Over a null there is nothing to put together, and nothing lost.
      if (value !== null) {
        this.#warn(237, `warning: skipped value for ${path}.${key}: Not a table.`);
      }
      return;
    }
    // A child's section is put together once more with the child's own values: its nulls are needed there.
    const isSection = chart.dependencies.some((child) => child.name === key);
    const inner = isSection ? 'merge' : mode;
    if (this.#helm === 4 && inner === 'coalesce') dropNulls(value);
    this.#tables(given, value, joinPath(path, key), inner);
  }

  #tables(target: GoMap, source: GoMap, prefix: string, mode: CoalesceMode): GoMap {
    if (target.size === 0) {
      for (const [key, value] of source.entries) target.set(key, value);
      return target;
    }
    const wasSet = new Set<string>();
    for (const [key, value] of source.entries) if (value !== null) wasSet.add(key);
    for (const [key, value] of target.entries) if (value === null) source.set(key, null);
    for (const key of source.sortedKeys()) {
      const value = source.get(key)!;
      const given = target.get(key);
      const path = joinPath(prefix, key);
      if (given === undefined) target.set(key, value);
      else if (given === null && mode === 'coalesce' && wasSet.has(key)) target.delete(key);
      else if (value instanceof GoMap) {
        if (given instanceof GoMap) this.#tables(given, value, path, mode);
        else {
          const text = sprintf('%v', [value], new Budget());
          this.#warn(316, `warning: cannot overwrite table with non table for ${path} (${text})`);
        }
      } else if (given instanceof GoMap && value !== null) {
        const text = sprintf('%v', [value], new Budget());
        this.#warn(
          319,
          `warning: destination for ${path} is a table. Ignoring non-table value (${text})`,
        );
      }
    }
    return target;
  }

  #warn(line: number, text: string): void {
    this.#log({ place: `coalesce.go:${line}`, text });
  }
}

function joinPath(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`;
}

/** Takes nulls out of a map and the maps in it. */
function dropNulls(map: GoMap): void {
  for (const [key, value] of map.entries) {
    if (value === null) map.delete(key);
    else if (value instanceof GoMap) dropNulls(value);
  }
}

/** A copy that shares no map or list with the original. */
export function copyValue(value: GoValue): GoValue {
  if (value instanceof GoMap) {
    const entries = new Map<string, GoValue>();
    for (const [key, each] of value.entries) entries.set(key, copyValue(each));
    return new GoMap(entries, value.type);
  }
  return Array.isArray(value) ? value.map(copyValue) : value;
}
