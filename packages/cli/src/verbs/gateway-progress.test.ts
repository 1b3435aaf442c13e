import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { CliContext } from '../context.ts';
import { SyncProgress } from './gateway-progress.ts';

function progressOn(isTTY: boolean): { shown: () => string; progress: SyncProgress; at: number[] } {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
  const at = [0];
  const context = { stderr } as unknown as CliContext;
  const progress = new SyncProgress(context, 1000, () => at[0] as number);
  return { shown: () => String(stderr.read() ?? ''), progress, at };
}

it('shows a bar with the rate and the time that is left, after a second', () => {
  const { shown, progress, at } = progressOn(true);
  for (let count = 0; count < 249; count += 1) progress.advance();
  expect(shown()).toBe('');
  at[0] = 2000;
  progress.advance();
  expect(shown()).toBe('\r\u001b[K[########----------------------] 250/1000, 125/s, 6 s left');
  progress.clear();
  expect(shown()).toBe('\r\u001b[K');
});

it('is silent when nobody looks', () => {
  const { shown, progress, at } = progressOn(false);
  at[0] = 5000;
  progress.advance();
  progress.clear();
  expect(shown()).toBe('');
});
