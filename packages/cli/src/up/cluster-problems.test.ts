import { expect, test } from 'vitest';
import { SteadyProblems } from './cluster-problems.ts';

const problem = (message: string, key = 'a') => ({ key, object: 'Kustomization x/y', message });

test('what is there for one look only is not told', () => {
  const steady = new SteadyProblems();
  expect(steady.look([problem('one')])).toEqual([]);
  expect(steady.look([])).toEqual([]);
  expect(steady.look([])).toEqual([]);
});

test('what is told stays while it is tried again, and goes when it stays away', () => {
  const steady = new SteadyProblems();
  steady.look([problem('one')]);
  expect(steady.look([problem('one')])).toEqual([problem('one')]);
  expect(steady.look([])).toEqual([problem('one')]);
  expect(steady.look([problem('one')])).toEqual([problem('one')]);
  expect(steady.look([])).toEqual([problem('one')]);
  expect(steady.look([])).toEqual([]);
});

test('another problem of the same object takes the place of the first without a gap', () => {
  const steady = new SteadyProblems();
  steady.look([problem('one')]);
  steady.look([problem('one')]);
  expect(steady.look([])).toEqual([problem('one')]);
  expect(steady.look([problem('two')])).toEqual([problem('one')]);
  expect(steady.look([problem('two')])).toEqual([problem('two')]);
  expect(steady.look([problem('two'), problem('three', 'b')])).toEqual([problem('two')]);
  expect(steady.look([problem('two'), problem('three', 'b')])).toEqual([
    problem('two'),
    problem('three', 'b'),
  ]);
});
