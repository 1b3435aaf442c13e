import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { TurnKeeper } from './turn-keeper.ts';

test('all loops on one clock wait for the same turn, and go on after it', async () => {
  const clock = new FakeClock();
  const turns = TurnKeeper.of(clock);
  expect(TurnKeeper.of(clock)).toBe(turns);
  expect(TurnKeeper.of(new FakeClock())).not.toBe(turns);
  expect(turns.heavyStep()).toBeUndefined();
  clock.jump(10);
  const turn = turns.heavyStep();
  expect(turn).toBeInstanceOf(Promise);
  expect(turns.step()).toBe(turn);
  await turn;
  expect(turns.heavyStep()).toBeUndefined();
});

test('a loop runs for three milliseconds, and a light one looks at every eighth step', async () => {
  const clock = new FakeClock();
  const turns = new TurnKeeper(clock);
  clock.jump(2);
  expect(turns.heavyStep()).toBeUndefined();
  clock.jump(1);
  const steps = Array.from({ length: 8 }, () => turns.step());
  expect(steps.map((step) => step !== undefined)).toEqual([...Array(7).fill(false), true]);
  await steps[7];
  clock.jump(2);
  expect(turns.heavyStep()).toBeUndefined();
});
