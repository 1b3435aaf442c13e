import { textOf } from '../chart/chart-file.ts';
import type { Log } from '../log-entry.ts';
import type { ChartNode } from '../render/chart-node.ts';

/** What Helm 4 adds with `--debug` when it looks for schemas: of each chart what it holds, and the schema itself. */
export function tellOfSchemas(chart: ChartNode, log: Log): void {
  const tell = (message: string, fields: Record<string, string>): void =>
    log({ place: '', text: '', structured: { level: 'DEBUG', message, fields } });
  if (chart.chart.schema !== undefined) {
    tell('chart name', { 'chart-name': chart.name });
    tell('unmarshalled JSON schema', { schema: textOf({ data: chart.chart.schema }) });
  }
  const dependencies = String(chart.dependencies.length);
  tell('number of dependencies in the chart', { chart: chart.name, dependencies });
  for (const child of chart.dependencies) tellOfSchemas(child, log);
}
