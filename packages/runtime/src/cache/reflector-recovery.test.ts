import { KubeError, type WatchOptions } from '@waygate/kube';
import type { KubeObject } from '@waygate/schema';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { Indexer } from './indexer.ts';
import type { ListerWatcher, WatchedEvent } from './lister-watcher.ts';
import { Reflector } from './reflector.ts';

/** An API that can be taken down, and whose watches end when the test says so. */
class Api implements ListerWatcher<KubeObject> {
  isDown = false;
  lists = 0;
  watches = 0;
  #wake: (() => void) | undefined;
  #end: ((event: WatchedEvent<KubeObject> | 'cut') => void) | undefined;

  async list() {
    this.#refuseWhileDown();
    this.lists++;
    return { items: [], resourceVersion: String(this.lists), continue: '' };
  }

  async watch(_: WatchOptions, signal: AbortSignal) {
    this.#refuseWhileDown();
    this.watches++;
    const ended = new Promise<WatchedEvent<KubeObject> | 'cut'>((resolve) => {
      this.#end = resolve;
      signal.addEventListener('abort', () => resolve('cut'), { once: true });
    });
    return (async function* () {
      const last = await ended;
      if (last !== 'cut') yield last;
    })();
  }

  whenReachable(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(true);
      signal.addEventListener('abort', () => resolve(false), { once: true });
    });
  }

  goDown(): void {
    this.isDown = true;
    this.#end?.('cut');
  }

  comeBack(): void {
    this.isDown = false;
    this.#wake?.();
  }

  expire(): void {
    const object = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 } as const;
    this.#end?.({ type: 'ERROR', object });
  }

  #refuseWhileDown(): void {
    if (!this.isDown) return;
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    throw new KubeError('WG_KUBE_CONNECTION', 'refused', { cause });
  }
}

function start(onError: (abort: AbortController) => void = () => {}, isDown = false) {
  const api = new Api();
  api.isDown = isDown;
  const clock = new FakeClock();
  const abort = new AbortController();
  const reflector = new Reflector<KubeObject>({
    listerWatcher: api,
    store: new Indexer<KubeObject>(),
    clock,
    random: () => 0,
    onError: () => onError(abort),
  });
  const running = reflector.run(abort.signal);
  const stop = async () => {
    abort.abort();
    await running;
  };
  return { api, clock, running, stop };
}

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a reflector after an outage', () => {
  test('goes on as soon as the server answers, whatever its back-off had grown to', async () => {
    const { api, clock, stop } = start();
    await settle();
    api.goDown();
    await settle();
    await clock.advance(60_000);
    await settle();
    expect(api.watches).toBe(1);

    api.comeBack();
    await settle();
    expect(api.watches).toBe(2);
    await stop();
  });

  test('ends at once when whoever is told of the outage stops it', async () => {
    const { api, running } = start((abort) => abort.abort(), true);
    // The clock stands still: only an end without a pause comes to its end.
    await running;
    expect(api.watches).toBe(0);
  });

  test('lists at once when its version expired meanwhile', async () => {
    const { api, clock, stop } = start();
    await settle();
    await clock.advance(60_000);
    expect(api.lists).toBe(1);

    api.expire();
    await settle();
    expect([api.lists, api.watches]).toEqual([2, 2]);
    await stop();
  });

  test('backs off from a server whose versions expire as soon as they are listed', async () => {
    const { api, clock, stop } = start();
    await settle();
    api.expire();
    await settle();
    expect(api.lists).toBe(1);

    await clock.advance(800);
    await settle();
    expect(api.lists).toBe(2);
    await stop();
  });
});
