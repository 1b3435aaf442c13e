import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { buildTarget, buildTargetSteps } from './build-target.ts';
import { createPlan, createPlanSteps } from './create-plan.ts';
import { KongEntities } from './kong-entities.ts';
import { inTurns } from './steps.ts';

const count = 5_000;

function configOf(port: number): DeclarativeConfig {
  return {
    _format_version: '3.0',
    services: Array.from({ length: count }, (_, index) => ({
      name: `service-${index}`,
      host: `host-${index}.test`,
      port,
      routes: [{ name: `route-${index}`, paths: [`/${index}`] }],
    })),
  };
}

const first = buildTarget(configOf(80), { current: new KongEntities(), newId: randomUUID }).target;

/** Counts the turns that others get until the work is done. */
async function turnsDuring<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { result: await work, turns };
  } finally {
    isDone = true;
  }
}

describe('work in turns', () => {
  test('gives the same as work at once, and lets others have turns meanwhile', async () => {
    const options = { current: first, newId: () => 'none is new' };
    const config = configOf(81);
    const building = turnsDuring(inTurns(buildTargetSteps(config, options), { turnMs: 0 }));
    const { result: built, turns } = await building;
    expect(turns).toBeGreaterThan(count / 64);
    expect(built.problems).toEqual([]);
    expect(built.target).toEqual(buildTarget(config, options).target);
    const planning = turnsDuring(inTurns(createPlanSteps(first, built.target), { turnMs: 0 }));
    const planned = await planning;
    expect(planned.turns).toBeGreaterThan(count / 64);
    expect(planned.result.operations).toHaveLength(count);
    expect(planned.result).toEqual(createPlan(first, built.target));
  });

  test('ends when nobody waits for it any more', async () => {
    const abort = new AbortController();
    const work = inTurns(createPlanSteps(new KongEntities(), first), {
      signal: abort.signal,
      turnMs: 0,
    });
    abort.abort(new Error('stopped'));
    await expect(work).rejects.toThrow('stopped');
  });
});
