import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type ListerWatcher, SharedInformer, type WatchedEvent } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Benchmark } from '../benchmark.ts';
import { podAt, podText } from '../informer/pod.ts';

/** Updates while a handler joins and leaves, between two looks at the clock and the heap. */
const updatesPerHandler = 1_000;
const updatesPerTurn = 100;

/** What is left behind by a long life: the heap before and after, both collected. */
export const benchmark: Benchmark = {
  name: 'informer-soak',
  title: 'Heap of an informer after many updates, with handlers added and removed',
  async run({ quick, log }) {
    const objects = quick ? 1_000 : 10_000;
    const updates = quick ? 10_000 : 200_000;
    const source = new PodSource(objects);
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: source,
      indexers: { node: (pod) => [(pod as { spec?: { nodeName?: string } }).spec?.nodeName ?? ''] },
    });
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await informer.waitForSync();
    const soak = async (count: number) => {
      for (let done = 1; done <= count; done++) {
        source.update();
        if (done % updatesPerHandler === 0) {
          const registration = informer.addEventHandler({ onUpdate: () => {} });
          await registration.waitForSync();
          informer.removeEventHandler(registration);
        }
        if (done % updatesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      while (informer.lastSyncResourceVersion !== source.lastVersion)
        await new Promise((resolve) => setImmediate(resolve));
    };
    // Once around, so that the compiler and the buffers have their share.
    await soak(objects);
    const before = heapMb();
    const started = performance.now();
    await soak(updates);
    const rate = updates / ((performance.now() - started) / 1_000);
    const after = heapMb();
    abort.abort();
    await running;
    log(`heap ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after ${updates} updates`);
    return [
      {
        name: `heap after ${updates.toLocaleString('en-US')} updates`,
        n: objects,
        unit: 'MB',
        ours: after,
        peers: { 'at the beginning': before },
        goal: { text: 'within 10% of where it began', isMet: after <= before * 1.1 },
      },
      {
        name: 'updates, parsed from text',
        n: objects,
        unit: 'events/s',
        ours: rate,
        better: 'higher',
      },
    ];
  },
};

class PodSource implements ListerWatcher<KubeObject> {
  readonly supportsWatchList = false;
  private readonly texts: string[];
  private readonly events: WatchedEvent<KubeObject>[] = [];
  private version: number;
  private wake = () => {};

  constructor(objects: number) {
    this.texts = Array.from({ length: objects }, (_, number) => podText(number));
    this.version = objects;
  }

  get lastVersion(): string {
    return String(this.version);
  }

  update(): void {
    const number = (this.version * 7919) % this.texts.length;
    const object = JSON.parse(podAt(this.texts[number]!, ++this.version)) as KubeObject;
    this.events.push({ type: 'MODIFIED', object });
    this.wake();
  }

  async list() {
    const items = this.texts.map((text, number) => JSON.parse(podAt(text, number)) as KubeObject);
    return { resourceVersion: this.lastVersion, continue: '', items };
  }

  async watch(_: object, signal: AbortSignal): Promise<AsyncIterable<WatchedEvent<KubeObject>>> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    return this.follow(signal);
  }

  private async *follow(signal: AbortSignal): AsyncGenerator<WatchedEvent<KubeObject>> {
    while (!signal.aborted) {
      while (this.events.length > 0) yield this.events.shift()!;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
