import type { CaseFiles } from '../case-files.ts';
import { readJson } from '../data-file.ts';
import type { ConformanceCase, Driver, Outcome } from '../driver.ts';
import { fail } from '../driver.ts';
import { leftOut } from '../run-suite.ts';
import { applyChecks } from './flux-apply.ts';
import type { Check, FluxCase } from './flux-case.ts';
import { gitReferenceCases } from './flux-git-ref.ts';
import { healthChecks } from './flux-health.ts';
import { manifestChecks } from './flux-manifests.ts';
import { sopsChecks } from './flux-sops.ts';
import { sourceChecks } from './flux-sources.ts';

/** The check of each file of the suite. */
const checks: Readonly<Record<string, Check>> = {
  ...applyChecks,
  ...healthChecks,
  ...manifestChecks,
  ...sopsChecks,
  ...sourceChecks,
};

/** A trace is minutes in the life of running controllers: it is played with ours, on a server. */
const playedByControllers = 'is played in the end-to-end tests: npm run e2e -- test/gitops/traces';

/** What Flux' libraries and controllers gave, file by file. */
export const driver: Driver = {
  suite: 'flux',
  async *cases(files) {
    for (const [feature, check] of Object.entries(checks)) {
      for (const one of readCases(files, `${feature}.json`)) {
        yield toCase(feature, one, check);
      }
    }
    yield* gitReferenceCases(files);
    for (const name of files.names().filter((one) => one.startsWith('traces/'))) {
      yield* leftOut(name, readJson(files, name), playedByControllers);
    }
  },
};

/** A set of data need not have every file. */
function readCases(files: CaseFiles, name: string): FluxCase[] {
  return files.names().includes(name) ? (readJson(files, name) as FluxCase[]) : [];
}

function toCase(feature: string, one: FluxCase, check: Check): ConformanceCase {
  const run = async (): Promise<Outcome> => {
    try {
      return await check(one);
    } catch (error) {
      return fail(`threw ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return { id: `${feature}/${one.id}`, feature, run };
}
