import { FakeClock } from '@waygate/runtime';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Problem } from '../translate/problem.ts';
import { ProblemReporter } from './problem-reporter.ts';

let told: string[];
let clock: FakeClock;
let isSpeaking: boolean;
let now: readonly Problem[];
let reporter: ProblemReporter;

const problem = (name: string, message = 'Service not found', more = {}): Problem => ({
  object: { apiVersion: 'v1', kind: 'Ingress', namespace: 'a', name, uid: `uid-${name}` },
  message,
  ...more,
});

const nobodyIsGone = () => false;

function replace(problems: readonly Problem[]): void {
  now = problems;
  reporter.replace(problems, nobodyIsGone);
}

beforeEach(() => {
  told = [];
  clock = new FakeClock();
  isSpeaking = true;
  now = [];
  reporter = new ProblemReporter({
    recorder: {
      event: (object, type, reason, message) => {
        told.push(`${type} ${reason} ${(object as { name: string }).name}: ${message}`);
      },
    },
    reason: 'Failed',
    holdMs: 3_000,
    isSpeaking: () => isSpeaking,
    problemsNow: () => now,
    clock,
  });
});

const warning = 'Warning Failed one: Service not found';

describe('a problem', () => {
  test('that is gone in a moment is never told', async () => {
    replace([problem('one')]);
    await clock.advance(2_000);
    replace([]);
    await clock.advance(10_000);
    expect(told).toEqual([]);
  });

  test('that lasts is told once', async () => {
    replace([problem('one')]);
    await clock.advance(2_999);
    expect(told).toEqual([]);
    await clock.advance(1);
    replace([problem('one')]);
    await clock.advance(60_000);
    expect(told).toEqual([warning]);
  });

  test('that comes again after it was told and gone is news', async () => {
    replace([problem('one')]);
    await clock.advance(3_000);
    replace([]);
    replace([problem('one')]);
    await clock.advance(3_000);
    expect(told).toEqual([warning, warning]);
  });

  test('of a single service that a pass over others has mended is not told', async () => {
    now = [problem('one'), problem('two')];
    reporter.add(now);
    now = [problem('two')];
    await clock.advance(3_000);
    expect(told).toEqual(['Warning Failed two: Service not found']);
    now = [problem('one'), problem('two')];
    reporter.add([problem('one')]);
    await clock.advance(3_000);
    expect(told).toHaveLength(2);
  });

  test('each waits for its own time', async () => {
    replace([problem('one')]);
    await clock.advance(2_000);
    replace([problem('one'), problem('two')]);
    await clock.advance(1_000);
    expect(told).toEqual([warning]);
    await clock.advance(2_000);
    expect(told).toHaveLength(2);
  });
});

describe('a conflict', () => {
  const conflict = problem('one', 'another has it', { isConflict: true });

  test('that was told is told to be over', async () => {
    replace([conflict]);
    await clock.advance(3_000);
    replace([]);
    expect(told.at(-1)).toContain('no longer so: another has it');
  });

  test('that nobody heard of ends in silence', async () => {
    replace([conflict]);
    replace([]);
    await clock.advance(10_000);
    expect(told).toEqual([]);
  });
});

describe('a replica that does not lead', () => {
  beforeEach(() => {
    isSpeaking = false;
  });

  test('says nothing, and nothing of what the other one said when it takes over', async () => {
    replace([problem('one')]);
    await clock.advance(60_000);
    isSpeaking = true;
    replace([problem('one')]);
    await clock.advance(60_000);
    expect(told).toEqual([]);
  });

  test('says what came when the other one had just fallen silent', async () => {
    replace([problem('one')]);
    await clock.advance(10_000);
    isSpeaking = true;
    await clock.advance(10_000);
    expect(told).toEqual([warning]);
  });
});
