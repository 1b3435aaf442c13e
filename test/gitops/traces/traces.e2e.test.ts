import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../real/processes.ts';
import { applyScenarios } from './apply-scenarios.ts';
import { bucketScenarios } from './bucket-scenarios.ts';
import { deletionScenarios } from './deletion-scenarios.ts';
import { dependencyScenarios } from './dependency-scenarios.ts';
import { gitScenarios } from './git-scenarios.ts';
import { healthScenarios } from './health-scenarios.ts';
import { ociScenarios } from './oci-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { sourceScenarios } from './source-scenarios.ts';
import { Stage } from './stage.ts';
import { storyOf } from './story.ts';
import { readTraces } from './trace.ts';

// Recordings of Flux' controllers, played again with ours: the same conditions, reasons, events and
// effects, in the same order. Where ours do something else, the scenario says what, and why.

const directory =
  process.env.WAYGATE_TRACES ?? join(workspace, '..', 'shared', 'conformance', 'flux', 'traces');
const traces = readTraces(directory);

const scenarios: Readonly<Record<string, Scenario>> = {
  ...sourceScenarios,
  ...gitScenarios,
  ...bucketScenarios,
  ...ociScenarios,
  ...dependencyScenarios,
  ...healthScenarios,
  ...deletionScenarios,
  ...applyScenarios,
};

/** Recordings of sources alone: there, housekeeping does not depend on how long things took. */
const isOfSources = (name: string) => /^(git|bucket|oci)_/.test(name);

describe.skipIf(traces.size === 0)('the recordings of Flux', () => {
  for (const [name, trace] of traces) {
    const scenario = scenarios[name];
    if (scenario === undefined) {
      test.todo(`${name}: nobody has told what its driver did (${trace.doc})`);
      continue;
    }
    test(`${name}: ${trace.doc}`, async () => {
      await using stage = await Stage.start(scenario.options);
      const extra = ((await scenario.play(stage, trace)) ?? {}) as Record<string, unknown>;
      const told = storyOf(trace);
      const expected = scenario.differs?.adapt(told) ?? told;
      const observed = () => {
        const seen = storyOf(stage.observation(extra));
        return scenario.differs?.forgive?.(seen) ?? seen;
      };
      // What is sent may arrive after what is written. The comparison below says what did not come.
      const isSent = async () =>
        Object.entries(expected.events).every(
          ([key, said]) => (observed().events[key]?.length ?? 0) >= said.length,
        );
      await stage.until(isSent).catch(() => undefined);
      const actual = observed();
      for (const [key, states] of Object.entries(expected.objects)) {
        expect(actual.objects[key], `conditions of ${key}`).toEqual(states);
      }
      for (const [key, said] of Object.entries(expected.events)) {
        expect(actual.events[key], `events of ${key}`).toEqual(said);
      }
      for (const [key, said] of Object.entries(isOfSources(name) ? expected.notices : {})) {
        expect(actual.notices[key], `notices of ${key}`).toEqual(said);
      }
      expect(actual.writes, 'what was written').toEqual(expected.writes);
      expect(actual.extra, 'what came of it').toEqual(expected.extra);
    });
  }
});
