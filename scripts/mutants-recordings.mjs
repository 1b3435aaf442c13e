// The recordings that guard a room (`conformance/`), as tests of `npm run mutants`: run once with probes
// to learn which of them come by which mutant, then for each mutant only those.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { casesOfClone } from '../conformance/src/case-sources.ts';
import { readKnownFailures } from '../conformance/src/known-failures.ts';
import { runSuite } from '../conformance/src/run-suite.ts';
import { root } from './setup.mjs';

const { WAYGATE_SUITES: suites = '', WAYGATE_REACHED: path, WAYGATE_GROUPS: wanted } = process.env;
const groups = wanted === undefined ? undefined : new Set(JSON.parse(readFileSync(wanted, 'utf8')));
const sources = casesOfClone(
  join(root, 'conformance', 'cases'),
  join(root, '..', 'shared', 'conformance'),
);

test.each(suites.split(','))('%s', { timeout: 600_000 }, async (suite) => {
  const { driver } = await import(`../conformance/src/drivers/${suite}.ts`);
  const tally = new Map();
  let startedAt = performance.now();
  const chosen = {
    suite,
    async *cases(files) {
      for await (const one of driver.cases(files)) {
        const group = `${suite} ${groupOf(one.id)}`;
        if (groups !== undefined && !groups.has(group)) continue;
        const its = tally.get(group) ?? { group, ms: 0, isSound: true, reached: new Set() };
        tally.set(group, its);
        startedAt = performance.now();
        globalThis.__mutantReached = path && ((mutant) => its.reached.add(mutant));
        yield one;
      }
    },
  };
  const known = readKnownFailures(join(root, 'conformance', 'known-failures'), suite);
  await runSuite(chosen, sources.filesOf(suite), {
    known,
    caseTimeoutMs: 30_000,
    onCase({ id, outcome }) {
      const its = tally.get(`${suite} ${groupOf(id)}`);
      // A file that no driver reads has no case of its own.
      if (its === undefined) return;
      its.ms += performance.now() - startedAt;
      const isRight = outcome.kind !== 'fail' || known.has(id);
      if (path === undefined) expect(isRight, id).toBe(true);
      its.isSound &&= isRight;
    },
  });
  if (path !== undefined)
    for (const { group, ms, isSound, reached } of tally.values())
      appendFileSync(path, `${JSON.stringify({ group, ms, isSound, reached: [...reached] })}\n`);
});

/** A transcript carries state from one exchange to the next, so its exchanges are run together. */
function groupOf(id) {
  return id.replace(/\/[^/]*$/, '');
}
