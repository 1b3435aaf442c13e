import type { ChartDependency } from '../chart/metadata.ts';
import { Budget } from '../go/budget.ts';
import { sprint } from '../go/format.ts';
import { anyMap, stringMap } from '../go/type.ts';
import { GoMap, type GoValue } from '../go/value.ts';
import type { Log } from '../log-entry.ts';
import type { ChartNode } from './chart-node.ts';
import { type Coalescer, copyValue } from './coalesce.ts';
import { missingTable, tableAt } from './value-path.ts';

/**
 * Brings what charts import from their subcharts into their own values, innermost first. A chart's own values
 * win over what it imports.
 */
export function importValues(chart: ChartNode, coalescer: Coalescer, log: Log): void {
  for (const child of chart.dependencies) importValues(child, coalescer, log);
  const declared = chart.metadata.dependencies;
  if (declared === undefined) return;
  const values = coalescer.values(chart, undefined, 'merge');
  let imported = new GoMap();
  for (const dependency of declared) {
    for (const table of tablesOf(dependency, values, log)) {
      imported = coalescer.tables(imported, table, 'merge');
    }
  }
  chart.values = coalescer.tables(copyValue(values) as GoMap, imported, 'merge');
}

function* tablesOf(dependency: ChartDependency, values: GoMap, log: Log): Iterable<GoMap> {
  const { name } = dependency;
  const done: GoValue[] = [];
  for (const entry of dependency['import-values'] ?? []) {
    if (typeof entry === 'string') {
      const child = `exports.${entry}`;
      done.push(pair(child, '.'));
      const path = `${name}.${child}`;
      const table = tableAt(values, path);
      if (table !== undefined) yield table;
      else log(missing(287, 'ImportValues missing table', '', missingTable(values, path)));
    } else if (entry instanceof GoMap && entry.type === anyMap) {
      const child = goText(entry.get('child'));
      const parent = goText(entry.get('parent'));
      done.push(pair(child, parent));
      const path = `${name}.${child}`;
      const table = tableAt(values, path);
      if (table !== undefined) yield inside(table, parent);
      else
        log(
          missing(270, 'ImportValues missing table from chart', name, missingTable(values, path)),
        );
    }
  }
  if (done.length > 0) dependency['import-values'] = done;
  else delete dependency['import-values'];
}

function missing(line: number, message: string, chart: string, key: string): Parameters<Log>[0] {
  const error = `${JSON.stringify(key)} is not a table`;
  return {
    place: `dependencies.go:${line}`,
    text: `Warning: ${message}${chart === '' ? '' : ` ${chart}`}: ${error}`,
    structured: {
      level: 'WARN',
      message,
      fields: chart === '' ? { error } : { chart, error },
    },
  };
}

function inside(table: GoMap, path: string): GoMap {
  if (path === '.') return table;
  return path.split('.').reduceRight((inner, key) => new GoMap([[key, inner]]), table);
}

function pair(child: string, parent: string): GoMap {
  return new GoMap(
    [
      ['child', child],
      ['parent', parent],
    ],
    stringMap,
  );
}

function goText(value: GoValue | undefined): string {
  return sprint([value ?? null], new Budget());
}
