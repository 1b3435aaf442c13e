import type { Change } from '@waygate/apply';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { KustomizationPass } from './kustomization-pass.ts';

/** The annotation that says what is done about objects that somebody else changed. */
export const driftAnnotation = 'waygate.dev/drift';

/** More objects than this are counted, and not named. */
const maxNamed = 20;
const maxPaths = 5;

/** Whether a Kustomization wants drift to be told, and not corrected. */
export function isReportOnly({ metadata }: Kustomization): boolean {
  return metadata.annotations?.[driftAnnotation]?.trim().toLowerCase() === 'report';
}

/**
 * Whether the cluster was brought to this very state before, so that whatever differs now was changed
 * by somebody else. What is new has to be applied, whatever is said about drift.
 */
export function wasApplied({ metadata, status }: Kustomization, digest: string): boolean {
  if (status?.observedGeneration !== metadata.generation) return false;
  const last = (status?.history ?? []).find(
    ({ lastReconciledStatus }) => lastReconciledStatus === 'ReconciliationSucceeded',
  );
  return last?.digest === digest;
}

/** Tells what differs in a condition, and in an event when that is news. */
export function reportDrift(pass: KustomizationPass, changes: readonly Change[]): void {
  const drifted = changes.filter(({ action }) => action === 'created' || action === 'configured');
  if (drifted.length === 0) {
    pass.conditions.remove('Drifted');
    return;
  }
  const lines = drifted.slice(0, maxNamed).map(lineOf);
  if (drifted.length > maxNamed) lines.push(`and ${drifted.length - maxNamed} more`);
  const message = lines.join('\n');
  const isNews = pass.conditions.get('Drifted')?.message !== message;
  pass.conditions.set('Drifted', 'True', 'DriftDetected', message);
  if (isNews) pass.tell('Warning', message, {}, 'DriftDetected');
}

/** Where it differs, and never what is there: it may be a secret. */
function lineOf({ subject, action, paths = [] }: Change): string {
  if (action === 'created') return `${subject} is missing`;
  if (paths.length === 0) return `${subject} differs`;
  const more = paths.length > maxPaths ? `, and ${paths.length - maxPaths} more` : '';
  return `${subject} differs at ${paths.slice(0, maxPaths).join(', ')}${more}`;
}
