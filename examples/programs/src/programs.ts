import type { Print } from './cluster.ts';
import { finalizerAndStatus } from './finalizer.ts';
import { informerWithIndex } from './informer.ts';
import { kustomizeInMemory } from './kustomize.ts';
import { leaderElection } from './leader-election.ts';
import { passthrough } from './passthrough.ts';
import { serverSideApply } from './server-side-apply.ts';
import { watch } from './watch.ts';

/** The programs that need nothing but themselves, by the name under which `main.ts` runs them. */
export const programs: Readonly<Record<string, (print: Print) => Promise<void>>> = {
  watch,
  'server-side-apply': serverSideApply,
  finalizer: finalizerAndStatus,
  'leader-election': leaderElection,
  informer: informerWithIndex,
  kustomize: kustomizeInMemory,
  passthrough,
};
