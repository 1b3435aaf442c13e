import type { Clock, Timer } from '../time/clock.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { EntryTimes, QueueEntry } from './work-queue.ts';

const defaultUpdateMs = 500;

/** Turns what happens to the entries of a work queue into its metrics. */
export class QueueMetricsRecorder<K> {
  readonly #metrics: QueueMetrics;
  readonly #clock: Clock;
  readonly #updateMs: number;
  readonly #processing = new Set<EntryTimes>();
  #timer: Timer | undefined;
  #nextUpdateMs: number;

  constructor(metrics: QueueMetrics, clock: Clock, updateMs = defaultUpdateMs) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#updateMs = updateMs;
    this.#nextUpdateMs = clock.monotonicMs() + updateMs;
    this.#schedule();
  }

  added(entry: QueueEntry<K>): void {
    this.#metrics.adds.increment();
    this.#metrics.depth.increment();
    const times = timesOf(entry);
    if (times.addedMs < 0) times.addedMs = this.#clock.monotonicMs();
  }

  taken(entry: QueueEntry<K>): void {
    const now = this.#clock.monotonicMs();
    const times = timesOf(entry);
    this.#metrics.depth.decrement();
    if (times.addedMs >= 0) this.#metrics.latency.observe((now - times.addedMs) / 1_000);
    times.addedMs = -1;
    times.startedMs = now;
    this.#processing.add(times);
  }

  done(entry: QueueEntry<K>): void {
    const times = timesOf(entry);
    this.#metrics.workDuration.observe((this.#clock.monotonicMs() - times.startedMs) / 1_000);
    this.#processing.delete(times);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Keeps to its grid: an update that was late does not make the next ones late. */
  #schedule(): void {
    const now = this.#clock.monotonicMs();
    const missed = Math.floor((now - this.#nextUpdateMs) / this.#updateMs) + 1;
    this.#nextUpdateMs += Math.max(missed, 0) * this.#updateMs;
    this.#timer = this.#clock.after(
      this.#nextUpdateMs - now,
      () => {
        this.#updateUnfinishedWork();
        this.#schedule();
      },
      { isBackground: true },
    );
  }

  #updateUnfinishedWork(): void {
    const now = this.#clock.monotonicMs();
    let total = 0;
    let longest = 0;
    for (const { startedMs } of this.#processing) {
      total += now - startedMs;
      longest = Math.max(longest, now - startedMs);
    }
    this.#metrics.unfinishedWorkSeconds.set(total / 1_000);
    this.#metrics.longestRunningProcessorSeconds.set(longest / 1_000);
  }
}

function timesOf<K>(entry: QueueEntry<K>): EntryTimes {
  entry.times ??= { addedMs: -1, startedMs: -1 };
  return entry.times;
}
