import type { KubeClient } from '@waygate/kube';
import { FakeClock } from '@waygate/runtime';
import { expect, test } from 'vitest';
import { KnownNeeds } from './known-needs.ts';
import { ResourceNames } from './resource-names.ts';
import { RightsCache } from './rights-cache.ts';

test('an API that stands still is not waited for, and asked again by the next one', async () => {
  const clock = new FakeClock();
  let isStill = true;
  let questions = 0;
  const client = {
    json: (_: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => {
      questions += 1;
      if (!isStill) return Promise.resolve({ status: { allowed: true } });
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
    discovery: { surface: async () => ({ resources: [] }) },
  } as unknown as KubeClient;
  const needs = new KnownNeeds(() => undefined);
  const cache = new RightsCache(needs, new ResourceNames(client, clock), clock);
  const person = { name: 'anna', key: 'anna', client };
  const told = cache.of(person).catch((error: { readonly code: string }) => error.code);
  await clock.advance(4_900);
  expect(questions).toBe(1);
  await clock.advance(200);
  expect(await told).toBe('WG_DASHBOARD_UPSTREAM');
  isStill = false;
  expect((await cache.of(person)).allows('any' as never)).toBe(true);
  expect(clock.timerCount).toBe(0);
});
