import { monitorEventLoopDelay } from 'node:perf_hooks';
import { mainThreadTimes } from '../main-thread.ts';

/** How long the event loop was held, at most. */
export interface LongestTurn {
  /** On the clock, with all that other programs took meanwhile. */
  readonly stallMs: number;
  /** Processor time of the main thread, which other programs do not change. */
  readonly cpuMs: number;
}

const resolutionMs = 2;

/**
 * Watches the turns of the event loop. The processor time is that between two timers:
 * a turn that takes longer is between two of them, with up to two milliseconds of its neighbours.
 */
export class TurnMonitor {
  private readonly delay = monitorEventLoopDelay({ resolution: resolutionMs });
  private timer: NodeJS.Timeout | undefined;
  private lastMs = 0;
  private longestMs = 0;

  start(): void {
    this.delay.enable();
    this.lastMs = mainThreadTimes().cpuMs;
    this.timer = setInterval(() => this.note(), resolutionMs);
  }

  stop(): LongestTurn {
    this.note();
    clearInterval(this.timer);
    this.delay.disable();
    const stallMs = Math.max(0, this.delay.max / 1e6 - resolutionMs);
    return { stallMs, cpuMs: this.longestMs };
  }

  private note(): void {
    const now = mainThreadTimes().cpuMs;
    this.longestMs = Math.max(this.longestMs, now - this.lastMs);
    this.lastMs = now;
  }
}
