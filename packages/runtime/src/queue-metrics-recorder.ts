import type { Clock, Timer } from './clock.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import type { QueueEntry } from './work-queue.ts';

const defaultUpdateMs = 500;

/** Turns what happens to the entries of a work queue into its metrics. */
export class QueueMetricsRecorder<K> {
  private readonly metrics: QueueMetrics;
  private readonly clock: Clock;
  private readonly updateMs: number;
  private readonly processing = new Set<QueueEntry<K>>();
  private timer: Timer | undefined;
  private nextUpdateMs: number;

  constructor(metrics: QueueMetrics, clock: Clock, updateMs = defaultUpdateMs) {
    this.metrics = metrics;
    this.clock = clock;
    this.updateMs = updateMs;
    this.nextUpdateMs = clock.monotonicMs() + updateMs;
    this.schedule();
  }

  added(entry: QueueEntry<K>): void {
    this.metrics.adds.increment();
    this.metrics.depth.increment();
    if (entry.addedMs < 0) entry.addedMs = this.clock.monotonicMs();
  }

  taken(entry: QueueEntry<K>): void {
    const now = this.clock.monotonicMs();
    this.metrics.depth.decrement();
    if (entry.addedMs >= 0) this.metrics.latency.observe((now - entry.addedMs) / 1_000);
    entry.addedMs = -1;
    entry.startedMs = now;
    this.processing.add(entry);
  }

  done(entry: QueueEntry<K>): void {
    this.metrics.workDuration.observe((this.clock.monotonicMs() - entry.startedMs) / 1_000);
    this.processing.delete(entry);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** Keeps to its grid: an update that was late does not make the next ones late. */
  private schedule(): void {
    const now = this.clock.monotonicMs();
    const missed = Math.floor((now - this.nextUpdateMs) / this.updateMs) + 1;
    this.nextUpdateMs += Math.max(missed, 0) * this.updateMs;
    this.timer = this.clock.after(
      this.nextUpdateMs - now,
      () => {
        this.updateUnfinishedWork();
        this.schedule();
      },
      { isBackground: true },
    );
  }

  private updateUnfinishedWork(): void {
    const now = this.clock.monotonicMs();
    let total = 0;
    let longest = 0;
    for (const { startedMs } of this.processing) {
      total += now - startedMs;
      longest = Math.max(longest, now - startedMs);
    }
    this.metrics.unfinishedWorkSeconds.set(total / 1_000);
    this.metrics.longestRunningProcessorSeconds.set(longest / 1_000);
  }
}
