import { sleep } from '@waygate/text';
import { describe, expect, it } from 'vitest';
import { Reachability } from './reachability.ts';

function serverThatIsDownFor(probes: number) {
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    async probe(): Promise<boolean> {
      asked++;
      if (asked % 2 === 1 && asked <= probes) throw new Error('connection refused');
      return asked > probes;
    },
  };
}

describe('Reachability', () => {
  it('asks once for all who wait, and wakes them together', async () => {
    const server = serverThatIsDownFor(3);
    const reachability = new Reachability({ probe: () => server.probe(), sleep, intervalMs: 1 });
    const signal = new AbortController().signal;
    const all = Array.from({ length: 50 }, () => reachability.whenReachable(signal));
    expect(await Promise.all(all)).toEqual(all.map(() => true));
    expect(server.asked).toBe(4);
  });

  it('asks anew for those who come later', async () => {
    const server = serverThatIsDownFor(0);
    const reachability = new Reachability({ probe: () => server.probe(), sleep, intervalMs: 1 });
    const signal = new AbortController().signal;
    expect(await reachability.whenReachable(signal)).toBe(true);
    expect(await reachability.whenReachable(signal)).toBe(true);
    expect(server.asked).toBe(2);
  });

  it('stops asking when nobody waits, and goes on for those who do', async () => {
    const server = serverThatIsDownFor(5);
    const reachability = new Reachability({ probe: () => server.probe(), sleep, intervalMs: 1 });
    const leaver = new AbortController();
    const left = reachability.whenReachable(leaver.signal);
    const stays = reachability.whenReachable(new AbortController().signal);
    leaver.abort();
    expect(await left).toBe(false);
    expect(await stays).toBe(true);

    const asked = server.asked;
    const alone = new AbortController();
    const given = reachability.whenReachable(alone.signal);
    alone.abort();
    expect(await given).toBe(false);
    await sleep(5);
    expect(server.asked).toBe(asked);
  });
});
