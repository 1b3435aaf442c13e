import { fileListKey } from '@waygate/gitops';
import type { Observation, ObservedArtifact, ObservedEvent, ObservedState } from './trace.ts';

/**
 * An observation without what may differ between two runs of the same scenario: times, digests,
 * temporary directories, and states in which a controller was still at work. Fewer writes and quicker
 * steps tell the same story.
 */
export interface Story {
  readonly objects: Readonly<Record<string, readonly string[]>>;
  readonly events: Readonly<Record<string, readonly string[]>>;
  /** Each thing that the Kubernetes API was told of an object, once. */
  readonly notices: Readonly<Record<string, readonly string[]>>;
  readonly writes: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

export function storyOf({ objects, events, notices, writes, extra }: Observation): Story {
  const told: Record<string, string[]> = {};
  for (const key of Object.keys(objects)) told[key] = states(objects[key] ?? []);
  return {
    objects: told,
    events: byObject(events, sayings),
    notices: byObject(notices, (all) => [...new Set(sayings(all))].sort()),
    writes: [...writes],
    extra,
  };
}

function byObject(
  events: readonly ObservedEvent[],
  told: (events: readonly ObservedEvent[]) => string[],
): Record<string, string[]> {
  const keys = new Set(events.map(({ object }) => object));
  return Object.fromEntries(
    [...keys].map((key) => [key, told(events.filter(({ object }) => object === key))]),
  );
}

/** States that a controller left behind when it had done what it could. */
function states(observed: readonly ObservedState[]): string[] {
  const settled: { ready: string; text: string; seen: number }[] = [];
  for (const state of observed) {
    const ready = state.conditions.find(({ type }) => type === 'Ready');
    if (ready === undefined || ready.status === 'Unknown' || isAtWork(state)) continue;
    const key = withoutChance(`${ready.status} ${ready.reason}: ${ready.message}`);
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

function isAtWork({ conditions }: ObservedState): boolean {
  return conditions.some(({ type, reason }) => type === 'Reconciling' && reason === 'Progressing');
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
    `origin ${state.lastAppliedOriginRevision ?? '-'}`,
    `inventory ${state.inventory?.join(' ') ?? '-'}`,
    ...(state.artifact === undefined ? [] : sourceLines(state, state.artifact)),
  ];
  return lines.map(withoutChance).join('\n');
}

function sourceLines(state: ObservedState, artifact: ObservedArtifact): string[] {
  const { path, revision, metadata = {} } = artifact;
  const { includedArtifacts = [], observedIgnore, url } = state;
  return [
    `offers ${path} of ${revision}`,
    `latest ${url === undefined || url === '' ? '-' : new URL(url).pathname}`,
    `with ${JSON.stringify(
      Object.entries(metadata)
        // Which files an artifact has is told by us alone.
        .filter(([key]) => key !== fileListKey)
        .sort(),
    )}`,
    `without ${JSON.stringify(observedIgnore ?? '')}`,
    `includes ${includedArtifacts.join(' ') || '-'}`,
  ];
}

/** Each thing once, however often it was repeated. */
function sayings(events: readonly ObservedEvent[]): string[] {
  const lines: string[] = [];
  for (const { type, reason, message } of events) {
    const line = withoutChance(`${type} ${reason}: ${message}`);
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

/** A text without what differs between two runs: times, digests, temporary directories. */
export function withoutChance(text: string): string {
  return text
    .replaceAll(/\/tmp\/kustomization-\d+/g, '')
    .replaceAll(/\/tmp\/gitrepository-[^/]+/g, '')
    .replaceAll(/sha256:[0-9a-f]{64}/g, '<digest>')
    .replaceAll(/\b(finished in|passed in|failed after) (?:[0-9.]+(?:ms|h|m|s))+/g, '$1 <dur>')
    .trimEnd();
}
