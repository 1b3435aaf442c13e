import type { KubeObject } from '@waygate/schema';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../error.ts';
import { isExpired, isForbidden } from '../error-predicate.ts';
import type { WatchOptions } from '../list-options.ts';
import type { WatchEvent } from '../watch-event.ts';
import { resumeWatch } from './resuming-watch.ts';

const event = (type: 'ADDED' | 'BOOKMARK', resourceVersion: string): WatchEvent => ({
  type,
  object: { metadata: { name: `o${resourceVersion}`, resourceVersion } },
});
const apiError = (code: number, reason: string) =>
  new KubeError('WG_KUBE_API', reason, { status: { code, reason } });
const reset = new KubeError('WG_KUBE_CONNECTION', 'reset');

/** Each entry is one watch: events, and how it ends. */
async function play(script: (WatchEvent | Error)[][], resourceVersion = '1') {
  const asked: (string | undefined)[] = [];
  const waits: number[] = [];
  const controller = new AbortController();
  const open = async (options: WatchOptions) => {
    asked.push(options.resourceVersion);
    const entries = script.shift();
    if (entries === undefined) {
      controller.abort();
      throw new Error('aborted');
    }
    if (entries[0] instanceof KubeError && entries.length === 1) throw entries[0];
    return (async function* () {
      for (const entry of entries) {
        if (entry instanceof Error) throw entry;
        yield entry;
      }
    })();
  };
  const seen: (string | undefined)[] = [];
  let error: unknown;
  try {
    const watch = resumeWatch<KubeObject>(
      open,
      { resourceVersion },
      { signal: controller.signal },
      async (ms) => void waits.push(ms),
    );
    for await (const one of watch) seen.push(one.object.metadata.name);
  } catch (reason) {
    error = reason;
  }
  return { asked, waits, seen, error };
}

describe('resumeWatch', () => {
  it('goes on from the last version it saw, bookmarks included', async () => {
    const { asked, seen, waits } = await play([
      [event('ADDED', '2'), event('BOOKMARK', '5')],
      [event('ADDED', '6'), reset],
      [],
    ]);
    expect(asked).toEqual(['1', '5', '6', '6']);
    expect(seen).toEqual(['o2', 'o6']);
    expect(waits).toEqual([1000, 1000, 2000]);
  });

  it('waits longer while it is refused, up to half a minute', async () => {
    const busy = apiError(429, 'TooManyRequests');
    const { waits } = await play([[busy], [busy], [busy], [busy], [busy], [busy], [busy]]);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('gives up on a version that is gone and on what no try will change', async () => {
    const expired: WatchEvent = { type: 'ERROR', object: { code: 410, reason: 'Expired' } };
    expect((await play([[event('ADDED', '2'), expired]])).error).toSatisfy(isExpired);
    expect((await play([[apiError(403, 'Forbidden')]])).error).toSatisfy(isForbidden);
    expect((await play([], '0')).error).toMatchObject({ code: 'WG_KUBE_CONFIG' });
  });
});
