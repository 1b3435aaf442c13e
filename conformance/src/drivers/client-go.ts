import type { CaseFiles } from '../case-files.ts';
import { jsonFiles, readJson } from '../data-file.ts';
import { type ConformanceCase, type Driver, fail, type Outcome, skip } from '../driver.ts';
import { type EventCorrelatorScenario, runEventCorrelator } from './client-go-event-correlator.ts';
import { runFifo } from './client-go-fifo.ts';
import { runHelper } from './client-go-helpers.ts';
import { type LeaderElectionScenario, runLeaderElection } from './client-go-leader-election.ts';
import { runRateLimiter } from './client-go-limiter.ts';
import { runPager } from './client-go-pager.ts';
import { runProcessDeltas } from './client-go-process-deltas.ts';
import { runProcessorListener } from './client-go-processor-listener.ts';
import { runQueue } from './client-go-queue.ts';
import { runReflector } from './client-go-reflector.ts';
import type { Scenario } from './client-go-scenario.ts';
import { runSharedInformer } from './client-go-shared-informer.ts';
import { runStore } from './client-go-store.ts';

/** How each file's scenarios are run. The driver owns the clock; nothing sleeps. */
const suites: Record<string, (scenario: Scenario) => Promise<Outcome>> = {
  delaying_queue: runQueue,
  delta_fifo: runFifo,
  event_correlator: (scenario) =>
    runEventCorrelator(scenario as unknown as EventCorrelatorScenario),
  helpers: runHelper,
  leader_election: (scenario) => runLeaderElection(scenario as unknown as LeaderElectionScenario),
  pager: runPager,
  process_deltas: runProcessDeltas,
  processor_listener: runProcessorListener,
  queue_metrics: runQueue,
  rate_limiters: runRateLimiter,
  rate_limiting_queue: runQueue,
  real_fifo: runFifo,
  reflector: runReflector,
  shared_informer: runSharedInformer,
  store_index: runStore,
  watch_list: runReflector,
  workqueue: runQueue,
};

export const driver: Driver = { suite: 'client-go', cases: clientGoCases };

/** The scenarios of a folder; a file is a list of them, or has one as `scenarios`. */
export async function* clientGoCases(files: CaseFiles): AsyncIterable<ConformanceCase> {
  for (const name of jsonFiles(files)) {
    const file = readJson(files, name) as Scenario[] | { scenarios?: Scenario[] };
    for (const scenario of Array.isArray(file) ? file : (file.scenarios ?? []))
      yield {
        id: `${scenario.suite}/${scenario.id}`,
        feature: scenario.suite,
        run: () => runScenario(scenario),
      };
  }
}

async function runScenario(scenario: Scenario): Promise<Outcome> {
  if (scenario.versions?.startsWith('<'))
    return skip(`holds only for Kubernetes ${scenario.versions}; the newest counts`);
  const run = suites[scenario.suite];
  if (run === undefined) return fail(`the driver does not know the suite ${scenario.suite}`);
  return run(scenario);
}
