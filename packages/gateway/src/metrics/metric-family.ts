/** Numbers of one name, told apart by labels, in Prometheus' text form. */
interface MetricFamily {
  render(): string;
}

type Labels = Readonly<Record<string, string>>;

/** One number that is counted up. Held by who counts, so that counting needs no look-up. */
export interface Cell {
  value: number;
}

/** More label sets than this are not kept: a metric may not grow with what clients send. */
const maximumSeries = 20_000;

/** The numbers of a family as plain data, to be added up over processes. */
export type CounterSeries = readonly (readonly [labels: string, value: number])[];

export class CounterFamily implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Cell>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, value: number): void {
    this.cell(labelText(labels)).value += value;
  }

  /** The number behind a label text; one that is not shown if there are too many already. */
  cell(key: string): Cell {
    let cell = this.#series.get(key);
    if (cell === undefined) {
      cell = { value: 0 };
      if (this.#series.size < maximumSeries) this.#series.set(key, cell);
    }
    return cell;
  }

  series(): CounterSeries {
    return [...this.#series].map(([key, { value }]) => [key, value]);
  }

  merge(series: CounterSeries): void {
    for (const [key, value] of series) this.cell(key).value += value;
  }

  render(): string {
    return renderFamily(this.#name, this.#help, 'counter', this.series());
  }
}

export interface Histogram {
  readonly counts: number[];
  count: number;
  sum: number;
}

export type HistogramSeries = readonly (readonly [labels: string, histogram: Histogram])[];

export class HistogramFamily implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #buckets: readonly number[];
  /** Of sums, after the point. */
  readonly #digits: number;
  readonly #series = new Map<string, Histogram>();

  constructor(name: string, help: string, buckets: readonly number[], digits = 0) {
    this.#name = name;
    this.#help = help;
    this.#buckets = buckets;
    this.#digits = digits;
  }

  /** The histogram behind a label text; one that is not shown if there are too many already. */
  cell(key: string): Histogram {
    let histogram = this.#series.get(key);
    if (histogram === undefined) {
      histogram = { counts: this.#buckets.map(() => 0), count: 0, sum: 0 };
      if (this.#series.size < maximumSeries) this.#series.set(key, histogram);
    }
    return histogram;
  }

  observe(histogram: Histogram, value: number): void {
    histogram.count += 1;
    histogram.sum += value;
    const buckets = this.#buckets;
    for (let index = 0; index < buckets.length; index += 1) {
      if (value <= (buckets[index] ?? 0)) {
        histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
        return;
      }
    }
  }

  series(): HistogramSeries {
    return [...this.#series];
  }

  merge(series: HistogramSeries): void {
    for (const [key, from] of series) {
      const to = this.cell(key);
      to.count += from.count;
      to.sum += from.sum;
      for (const [index, count] of from.counts.entries()) {
        to.counts[index] = (to.counts[index] ?? 0) + count;
      }
    }
  }

  render(): string {
    if (this.#series.size === 0) return '';
    const lines = head(this.#name, this.#help, 'histogram');
    for (const [labels, histogram] of this.#series) {
      let total = 0;
      for (const [index, limit] of this.#buckets.entries()) {
        total += histogram.counts[index] ?? 0;
        lines.push(`${this.#name}_bucket{${labels},le="${limit}"} ${total}`);
      }
      lines.push(`${this.#name}_bucket{${labels},le="+Inf"} ${histogram.count}`);
      lines.push(`${this.#name}_count{${labels}} ${histogram.count}`);
      lines.push(`${this.#name}_sum{${labels}} ${Number(histogram.sum.toFixed(this.#digits))}`);
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
  const series = [...values].map(([labels, value]) => [labelText(labels), value] as const);
  return renderFamily(name, help, 'gauge', series);
}

/** Labels as they stand between the braces. */
export function labelText(labels: Labels): string {
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

function renderFamily(name: string, help: string, type: string, series: CounterSeries): string {
  if (series.length === 0) return '';
  const lines = head(name, help, type);
  for (const [labels, value] of series) {
    lines.push(labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
