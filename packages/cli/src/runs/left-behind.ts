import { endGroup } from '../processes/process-group.ts';
import { processIdentity } from './process-identity.ts';
import type { RunRecord } from './run-registry.ts';

/** Ends what a run that was killed has left behind; returns the ids. */
export async function endLeftBehind({ processes }: RunRecord): Promise<readonly number[]> {
  const left = processes.filter(({ id, identity }) => processIdentity(id) === identity);
  await Promise.all(left.map(({ id }) => endGroup(id)));
  return left.map(({ id }) => id);
}
