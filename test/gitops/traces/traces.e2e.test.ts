import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../real/processes.ts';
import { applyScenarios } from './apply-scenarios.ts';
import { deletionScenarios } from './deletion-scenarios.ts';
import { dependencyScenarios } from './dependency-scenarios.ts';
import { healthScenarios } from './health-scenarios.ts';
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
  ...dependencyScenarios,
  ...healthScenarios,
  ...deletionScenarios,
  ...applyScenarios,
};

/** Recordings that are about sources alone, and one of a switch that we do not have. */
const elsewhere = /^(git_|bucket_|oci_|external_artifact_gate_disabled$)/;

describe.skipIf(traces.size === 0)('the recordings of Flux', () => {
  for (const [name, trace] of traces) {
    if (elsewhere.test(name)) continue;
    const scenario = scenarios[name];
    if (scenario === undefined) {
      test.todo(`${name}: nobody has told what its driver did (${trace.doc})`);
      continue;
    }
    test(`${name}: ${trace.doc}`, async () => {
      await using stage = await Stage.start(scenario.options);
      const extra = ((await scenario.play(stage)) ?? {}) as Record<string, unknown>;
      const told = storyOf(trace);
      const expected = scenario.differs?.adapt(told) ?? told;
      const seen = storyOf(stage.observation(extra));
      const actual = scenario.differs?.forgive?.(seen) ?? seen;
      for (const key of Object.keys(expected.objects)) {
        expect(actual.objects[key], `conditions of ${key}`).toEqual(expected.objects[key]);
        expect(actual.events[key] ?? [], `events of ${key}`).toEqual(expected.events[key] ?? []);
      }
      expect(actual.writes, 'what was written').toEqual(expected.writes);
      expect(actual.extra, 'what came of it').toEqual(expected.extra);
    });
  }
});
