import { type FakeClock, WorkQueue } from '@waygate/runtime';
import type { Problem } from './client-go-scenario.ts';

export interface StressData {
  readonly producers: number;
  readonly addsPerProducer: number;
  readonly workers: number;
  readonly readdWhileProcessing?: number;
  readonly shutdown: 'shutDown' | 'shutDownWithDrain';
}

/** Many producers and workers on one queue; the invariants are looked at all along. */
export async function runQueueStress(data: StressData, clock: FakeClock): Promise<Problem> {
  const queue = new WorkQueue<string>({ clock });
  const inFlight = new Set<string>();
  const delivered = new Set<string>();
  const readds = new Map<string, number>();
  const problems: string[] = [];
  const worker = async (number: number) => {
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      if (key === 'added after shutdown') problems.push('delivered an item added after shutdown');
      if (inFlight.has(key)) problems.push(`${key} is in two workers`);
      inFlight.add(key);
      delivered.add(key);
      const readded = readds.get(key) ?? 0;
      if (readded < (data.readdWhileProcessing ?? 0)) {
        readds.set(key, readded + 1);
        queue.add(key);
      }
      for (let pause = (number * 7 + delivered.size) % 4; pause > 0; pause--) await clock.yield();
      inFlight.delete(key);
      queue.done(key);
    }
  };
  const producer = async (number: number) => {
    for (let count = 0; count < data.addsPerProducer; count++) {
      queue.add(`producer-${number}`);
      if ((count * 31 + number) % 5 === 0) await clock.yield();
    }
  };
  const workers = Array.from({ length: data.workers }, (_, number) => worker(number));
  await Promise.all(Array.from({ length: data.producers }, (_, number) => producer(number)));
  while (queue.length > 0 || inFlight.size > 0) await clock.yield();
  await queue[data.shutdown]();
  queue.add('added after shutdown');
  await Promise.all(workers);
  if (queue.length !== 0) problems.push(`${queue.length} items are left`);
  if (delivered.size !== data.producers) problems.push(`${delivered.size} keys were delivered`);
  return problems[0];
}
