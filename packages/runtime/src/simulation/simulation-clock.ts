import { FakeClock } from '../time/fake-clock.ts';

/**
 * The clock of a world without I/O: everything that can run is in microtasks, so it has run when the
 * next tick comes. That costs a hundredth of a turn of the event loop, and a simulation makes
 * thousands.
 */
export class SimulationClock extends FakeClock {
  /** Fires the next timer, or passes the time up to `limitMs`, whichever comes first. */
  async runNext(limitMs: number): Promise<void> {
    this.jump(Math.min(this.nextTimerMs ?? limitMs, limitMs));
    await this.settle();
  }

  protected override turn(): Promise<void> {
    return new Promise((resolve) => {
      process.nextTick(resolve);
    });
  }
}
