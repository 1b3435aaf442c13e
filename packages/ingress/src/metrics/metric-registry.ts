import type { MetricsSource } from '@waygate/runtime';

export type Labels = Readonly<Record<string, string>>;

interface Series {
  readonly labels: Labels;
  value: number;
  /** Histograms: how many observations each bucket holds, and their sum. */
  counts?: number[];
  sum?: number;
}

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly buckets: readonly number[];
  readonly series: Map<string, Series>;
}

/** A few metrics in Prometheus' text format. Series come into being when they are first used. */
export class MetricRegistry implements MetricsSource {
  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #metrics = new Map<string, Metric>();

  define(name: string, type: Metric['type'], help: string, buckets: readonly number[] = []): void {
    this.#metrics.set(name, { name, help, type, buckets, series: new Map() });
  }

  increment(name: string, labels: Labels = {}, by = 1): void {
    this.#series(name, labels).value += by;
  }

  set(name: string, value: number, labels: Labels = {}): void {
    this.#series(name, labels).value = value;
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    const metric = this.#metric(name);
    const series = this.#series(name, labels);
    series.counts ??= metric.buckets.map(() => 0);
    for (const [index, bound] of metric.buckets.entries())
      if (value <= bound) series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.value += 1;
    series.sum = (series.sum ?? 0) + value;
  }

  async metrics(): Promise<string> {
    return [...this.#metrics.values()].map(textOf).join('');
  }

  #metric(name: string): Metric {
    const metric = this.#metrics.get(name);
    if (metric === undefined) throw new Error(`there is no metric ${name}`);
    return metric;
  }

  #series(name: string, labels: Labels): Series {
    const metric = this.#metric(name);
    const key = labelText(labels);
    let series = metric.series.get(key);
    if (series === undefined) {
      series = { labels, value: 0 };
      metric.series.set(key, series);
    }
    return series;
  }
}

function textOf({ name, help, type, buckets, series }: Metric): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const one of series.values()) {
    if (type !== 'histogram') {
      lines.push(`${name}${labelText(one.labels)} ${one.value}`);
      continue;
    }
    for (const [index, bound] of buckets.entries())
      lines.push(
        `${name}_bucket${labelText({ ...one.labels, le: String(bound) })} ${one.counts?.[index] ?? 0}`,
      );
    lines.push(`${name}_bucket${labelText({ ...one.labels, le: '+Inf' })} ${one.value}`);
    lines.push(`${name}_sum${labelText(one.labels)} ${one.sum ?? 0}`);
    lines.push(`${name}_count${labelText(one.labels)} ${one.value}`);
  }
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  const escaped = (value: string) =>
    value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `{${entries.map(([key, value]) => `${key}="${escaped(value)}"`).join(',')}}`;
}
