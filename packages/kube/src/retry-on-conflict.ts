import { sleep as realSleep, type Sleep } from '@waygate/text';
import { isConflict } from './error-predicate.ts';
import type { CallOptions } from './list-options.ts';

/** How often a conflict is tried again, and when. */
export interface ConflictOptions extends CallOptions {
  /** Tries in all. Default 5, as client-go's. */
  readonly attempts?: number | undefined;
  /** Waited between tries, and up to a tenth more. Default 10 ms. */
  readonly waitMs?: number | undefined;
  readonly sleep?: Sleep | undefined;
  readonly random?: (() => number) | undefined;
}

/**
 * Tries again when somebody else changed the object in between. The action must read the object
 * anew each time, or it conflicts again.
 *
 * ```ts
 * const maps = client.resource(kinds.ConfigMap).in('shop');
 * await retryOnConflict(async () => {
 *   const map = await maps.get('settings');
 *   return maps.update({ ...map, data: { ...map.data, color: 'blue' } });
 * });
 * ```
 */
export async function retryOnConflict<T>(
  action: () => Promise<T>,
  options: ConflictOptions = {},
): Promise<T> {
  const { attempts = 5, waitMs = 10, sleep = realSleep, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (!isConflict(error) || attempt >= attempts) throw error;
    }
    await sleep(waitMs * (1 + random() / 10), options.signal);
  }
}
