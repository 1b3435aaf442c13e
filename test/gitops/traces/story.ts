import type { Observation, ObservedEvent, ObservedState } from './trace.ts';

/**
 * An observation without what may differ between two runs of the same scenario: times, digests,
 * temporary directories, and states in which a controller was still at work. Fewer writes and quicker
 * steps tell the same story.
 */
export interface Story {
  readonly objects: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, readonly string[]>>;
  readonly writes: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Kinds whose story is told: sources have traces of their own. */
const isTold = (key: string) => key.startsWith('Kustomization/');

export function storyOf({ objects, events, writes, extra }: Observation): Story {
  const told: Record<string, string[]> = {};
  for (const key of Object.keys(objects).filter(isTold)) told[key] = states(objects[key] ?? []);
  const said: Record<string, string[]> = {};
  for (const key of new Set(events.map(({ object }) => object).filter(isTold))) {
    said[key] = sayings(events.filter(({ object }) => object === key));
  }
  return { objects: told, events: said, writes: [...writes], extra };
}

/** States that a controller left behind when it had done what it could. */
function states(observed: readonly ObservedState[]): string[] {
  const settled: { ready: string; text: string; seen: number }[] = [];
  for (const state of observed) {
    const ready = state.conditions.find(({ type }) => type === 'Ready');
    if (ready === undefined || ready.status === 'Unknown') continue;
    const key = clean(`${ready.status} ${ready.reason}: ${ready.message}`);
    const last = settled.at(-1);
    // A state is written in several steps: the last of them is the whole.
    const isSame = last?.ready === key;
    const seen = Math.max(state.observedGeneration ?? -1, isSame ? last.seen : -1);
    const entry = { ready: key, text: textOf(state, seen), seen };
    if (isSame) settled[settled.length - 1] = entry;
    else settled.push(entry);
  }
  return settled.map(({ text }) => text);
}

function textOf(state: ObservedState, observedGeneration: number): string {
  const conditions = state.conditions.map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );
  const lines = [
    ...conditions,
    `observed ${observedGeneration}`,
    `applied ${state.lastAppliedRevision ?? '-'}`,
    `attempted ${state.lastAttemptedRevision ?? '-'}`,
    `inventory ${state.inventory?.join(' ') ?? '-'}`,
  ];
  return lines.map(clean).join('\n');
}

/** Each thing once, however often it was repeated. */
function sayings(events: readonly ObservedEvent[]): string[] {
  const lines: string[] = [];
  for (const { type, reason, message } of events) {
    const line = clean(`${type} ${reason}: ${message}`);
    if (lines.at(-1) !== line && !isEndOfDeletion(lines.at(-1), line)) lines.push(line);
  }
  return lines;
}

/** Flux says that a reconciliation finished when it deleted everything: a defect that its notes name. */
function isEndOfDeletion(before: string | undefined, line: string): boolean {
  return (
    line.includes('Reconciliation finished in') &&
    before !== undefined &&
    / ReconciliationSucceeded: (?!Reconciliation finished)/.test(before)
  );
}

function clean(text: string): string {
  return text
    .replaceAll(/\/tmp\/kustomization-\d+/g, '')
    .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/\b(finished in|passed in|failed after) (?:[0-9.]+(?:ms|h|m|s))+/g, '$1 <dur>')
    .trimEnd();
}
