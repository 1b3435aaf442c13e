import { describe, expect, it } from 'vitest';
import { KubeError } from './error.ts';
import { isConflict, isNotFound } from './error-predicate.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const failing = (reason: string, code: number, times: number) => {
  let calls = 0;
  return {
    calls: () => calls,
    action: async () => {
      if (++calls > times) return 'done';
      throw new KubeError('WG_KUBE_API', reason, { status: { reason, code } });
    },
  };
};

describe('retryOnConflict', () => {
  it('tries again after a conflict', async () => {
    const waits: number[] = [];
    const { action, calls } = failing('Conflict', 409, 2);
    const sleep = async (ms: number) => void waits.push(ms);
    expect(await retryOnConflict(action, { sleep, random: () => 0.5 })).toBe('done');
    expect(calls()).toBe(3);
    expect(waits).toEqual([10.5, 10.5]);
  });

  it('gives up after five tries, and at once on anything else', async () => {
    const conflicts = failing('Conflict', 409, 99);
    await expect(retryOnConflict(conflicts.action)).rejects.toSatisfy(isConflict);
    expect(conflicts.calls()).toBe(5);
    const missing = failing('NotFound', 404, 99);
    await expect(retryOnConflict(missing.action)).rejects.toSatisfy(isNotFound);
    expect(missing.calls()).toBe(1);
  });
});
