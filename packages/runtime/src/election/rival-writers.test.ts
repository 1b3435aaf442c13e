import { expect, test } from 'vitest';
import { FakeClock } from '../time/fake-clock.ts';
import { type RivalWrite, RivalWriters } from './rival-writers.ts';

const write = (more: Partial<RivalWrite> = {}): RivalWrite => ({
  manager: 'kustomize-controller',
  object: 'Kustomization a/b',
  namespace: 'a',
  holdMs: 60_000,
  ...more,
});

function start(threshold: number, namespaces = 1) {
  const clock = new FakeClock(0);
  const told: string[] = [];
  const writers = new RivalWriters<'kustomize' | 'source'>({
    clock,
    threshold,
    namespaces: () => namespaces,
    onChange: (part, rival) => told.push(`${part} ${rival?.holder ?? 'free'}`),
  });
  return { clock, told, writers };
}

test('one write is nobody yet; the second one is, for its own part only', () => {
  const { writers, told } = start(2);
  writers.saw('kustomize', write());
  expect(writers.of('kustomize')).toBeUndefined();
  writers.saw('kustomize', write());
  expect(writers.of('kustomize')).toEqual({
    holder: 'kustomize-controller',
    wrote: 'Kustomization a/b',
  });
  expect(writers.of('source')).toBeUndefined();
  expect(told).toEqual(['kustomize kustomize-controller']);
});

test('who is not heard of is gone, and has to show itself anew', async () => {
  const { writers, told, clock } = start(2);
  writers.saw('source', write());
  writers.saw('source', write());
  await clock.advance(59_000);
  // One who writes again stays; one who writes rarely is waited for longer.
  writers.saw('source', write({ holdMs: 120_000 }));
  writers.saw('source', write());
  await clock.advance(119_000);
  expect(told).toEqual(['source kustomize-controller']);
  await clock.advance(1_000);
  expect(told).toEqual(['source kustomize-controller', 'source free']);
  writers.saw('source', write());
  expect(writers.of('source')).toBeUndefined();
});

test('single writes that are far from each other are never a rival', async () => {
  const { writers, told, clock } = start(2);
  for (let count = 0; count < 5; count += 1) {
    writers.saw('source', write());
    await clock.advance(61_000);
  }
  expect(told).toEqual([]);
});

test('listeners hear of it until they have enough', async () => {
  const { writers, clock } = start(2);
  const heard: string[] = [];
  const forget = writers.onChange((part) => heard.push(part));
  writers.saw('source', write());
  writers.saw('source', write());
  forget();
  await clock.advance(60_000);
  expect(writers.of('source')).toBeUndefined();
  expect(heard).toEqual(['source']);
});

test('one tenant is no controller, however often it writes: most namespaces are written to', async () => {
  const { writers, told, clock } = start(2, 3);
  for (let count = 0; count < 50; count += 1) writers.saw('source', write());
  expect(told).toEqual([]);
  writers.saw('source', write({ namespace: 'b' }));
  expect(told).toEqual(['source kustomize-controller']);
  // Nor can one hold up the take-over when the controller is gone.
  await clock.advance(59_000);
  writers.saw('source', write());
  await clock.advance(1_000);
  expect(told).toEqual(['source kustomize-controller', 'source free']);
});
