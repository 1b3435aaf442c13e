/** Numbers of one name, told apart by labels, in Prometheus' text form. */
export interface MetricFamily {
  render(): string;
}

type Labels = Readonly<Record<string, string>>;

/** More label sets than this are not kept: a metric may not grow with what clients send. */
const maximumSeries = 20_000;

export class CounterFamily implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, value: number): void {
    const key = labelText(labels);
    const before = this.#series.get(key);
    if (before !== undefined || this.#series.size < maximumSeries) {
      this.#series.set(key, (before ?? 0) + value);
    }
  }

  render(): string {
    return renderFamily(this.#name, this.#help, 'counter', this.#series);
  }
}

interface Histogram {
  readonly counts: number[];
  count: number;
  sum: number;
}

export class HistogramFamily implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #buckets: readonly number[];
  readonly #series = new Map<string, Histogram>();

  constructor(name: string, help: string, buckets: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#buckets = buckets;
  }

  observe(labels: Labels, value: number): void {
    const key = labelText(labels);
    let histogram = this.#series.get(key);
    if (histogram === undefined) {
      if (this.#series.size >= maximumSeries) {
        return;
      }
      histogram = { counts: this.#buckets.map(() => 0), count: 0, sum: 0 };
      this.#series.set(key, histogram);
    }
    histogram.count += 1;
    histogram.sum += value;
    const bucket = this.#buckets.findIndex((limit) => value <= limit);
    if (bucket !== -1) {
      histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
    }
  }

  render(): string {
    if (this.#series.size === 0) {
      return '';
    }
    const lines = head(this.#name, this.#help, 'histogram');
    for (const [labels, histogram] of this.#series) {
      let total = 0;
      for (const [index, limit] of this.#buckets.entries()) {
        total += histogram.counts[index] ?? 0;
        lines.push(`${this.#name}_bucket{${labels},le="${limit}"} ${total}`);
      }
      lines.push(`${this.#name}_bucket{${labels},le="+Inf"} ${histogram.count}`);
      lines.push(`${this.#name}_count{${labels}} ${histogram.count}`);
      lines.push(`${this.#name}_sum{${labels}} ${Math.round(histogram.sum)}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

/** A family whose numbers are read when they are asked for. */
export function renderGauges(
  name: string,
  help: string,
  values: Iterable<readonly [Labels, number]>,
): string {
  const series = new Map<string, number>();
  for (const [labels, value] of values) {
    series.set(labelText(labels), value);
  }
  return renderFamily(name, help, 'gauge', series);
}

function renderFamily(
  name: string,
  help: string,
  type: string,
  series: ReadonlyMap<string, number>,
): string {
  if (series.size === 0) {
    return '';
  }
  const lines = head(name, help, type);
  for (const [labels, value] of series) {
    lines.push(labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    const escaped = /[\\"\n]/.test(value)
      ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
      : value;
    text += `${text === '' ? '' : ','}${name}="${escaped}"`;
  }
  return text;
}
