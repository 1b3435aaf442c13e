import { spanIdOf, type Tracer } from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Artifact } from '../api/source-objects.ts';

/** What a source got, and when. Times are of the wall clock, in milliseconds. */
interface FetchedRevision {
  readonly artifact: Artifact;
  /** What the source offered before. */
  readonly before: Artifact | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** When the commit was made, by its own word. */
  readonly committedMs?: number | undefined;
}

/**
 * Begins the trace of a revision: the commit, and how it was fetched. A source that offers what it
 * offered before begins none.
 */
export function traceFetch(tracer: Tracer, source: KubeObject, fetched: FetchedRevision): void {
  const { artifact, before, startMs, endMs, committedMs } = fetched;
  const { revision } = artifact;
  if (before?.revision === revision) return;
  const { name = '', namespace = '', uid = '' } = source.metadata;
  const traced = { sourceUid: uid, revision };
  const attributes = {
    'waygate.kind': source.kind ?? '',
    'waygate.namespace': namespace,
    'waygate.name': name,
    'waygate.revision': revision,
  };
  tracer.commit(traced, {
    // A first clone finds commits of years ago: the way of those began when they were asked for.
    startMs: isOfThisWay(committedMs, before, startMs) ? committedMs : startMs,
    endMs,
    attributes: {
      ...attributes,
      ...(committedMs === undefined
        ? {}
        : { 'waygate.committed': new Date(committedMs).toISOString() }),
    },
  });
  tracer.step(traced, {
    name: 'fetch',
    spanId: spanIdOf(traced, 'fetch', uid),
    startMs,
    endMs,
    attributes: { ...attributes, 'waygate.bytes': artifact.size ?? 0 },
  });
}

/** Whether a commit was made after what the source offered before, so that it was waited for. */
function isOfThisWay(
  committedMs: number | undefined,
  before: Artifact | undefined,
  startMs: number,
): committedMs is number {
  if (committedMs === undefined || before === undefined) return false;
  return committedMs >= Date.parse(before.lastUpdateTime) && committedMs <= startMs;
}
