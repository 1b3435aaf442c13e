import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { RouteTraffic } from '../../../../src/protocol/routes.ts';
import { clockText } from '../../parts/when.tsx';

const height = 110;

/** A plot in the page's colours, as wide as its place. */
export class TrafficPlot {
  readonly #kind: 'rate' | 'latency';
  readonly #element: HTMLElement;
  readonly #plot: uPlot;
  readonly #observer: ResizeObserver;
  readonly #theme = matchMedia('(prefers-color-scheme: dark)');
  readonly #redraw = () => this.#plot.redraw(false);

  constructor(element: HTMLElement, kind: 'rate' | 'latency') {
    this.#element = element;
    this.#kind = kind;
    const [one, two] =
      kind === 'rate' ? ['--plot-requests', '--bad'] : ['--plot-p50', '--plot-p99'];
    this.#plot = new uPlot(
      {
        width: Math.max(120, element.clientWidth),
        height,
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        padding: [6, 4, 0, 0],
        axes: [{ ...this.#axis(22), values: clockTimes, space: 64 }, this.#axis(40)],
        series: [
          {},
          this.#series(one ?? '', kind === 'rate'),
          this.#series(two ?? '', kind === 'rate'),
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, (most ?? 0) * 1.15)] } },
      },
      [[], [], []],
      element,
    );
    this.#observer = new ResizeObserver(() =>
      this.#plot.setSize({ width: Math.max(120, element.clientWidth), height }),
    );
    this.#observer.observe(element);
    this.#theme.addEventListener('change', this.#redraw);
  }

  show(traffic: RouteTraffic): void {
    const last = traffic.requests.length - 1;
    const times = traffic.requests.map(
      (_, index) => (traffic.endedAt - (last - index) * traffic.slotMs) / 1_000,
    );
    const seconds = traffic.slotMs / 1_000;
    const perSecond = (numbers: readonly number[]) => numbers.map((number) => number / seconds);
    this.#plot.setData(
      this.#kind === 'rate'
        ? [times, perSecond(traffic.requests), perSecond(traffic.errors)]
        : [times, [...traffic.p50], [...traffic.p99]],
    );
  }

  close(): void {
    this.#observer.disconnect();
    this.#theme.removeEventListener('change', this.#redraw);
    this.#plot.destroy();
  }

  #colour(name: string): string {
    return getComputedStyle(this.#element).getPropertyValue(name).trim();
  }

  #series(colour: string, isFilled: boolean): uPlot.Series {
    return {
      stroke: () => this.#colour(colour),
      width: 1.5,
      points: { show: false },
      ...(isFilled && { fill: () => `${this.#colour(colour)}22` }),
    };
  }

  #axis(size: number): uPlot.Axis {
    return {
      size,
      stroke: () => this.#colour('--ink-soft'),
      font: '11px system-ui, sans-serif',
      grid: { stroke: () => this.#colour('--line'), width: 1 },
      ticks: { show: false },
    };
  }
}

function clockTimes(_: uPlot, seconds: readonly number[]): string[] {
  const minutes = seconds.map((second) => clockText(second * 1_000).slice(0, 5));
  const isFine = new Set(minutes).size < minutes.length;
  return isFine ? seconds.map((second) => clockText(second * 1_000)) : minutes;
}
