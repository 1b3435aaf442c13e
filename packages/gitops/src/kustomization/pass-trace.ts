import type { Change } from '@waygate/apply';
import {
  type Clock,
  newSpanId,
  spanIdOf,
  type TracedRevision,
  type Tracer,
} from '@waygate/runtime';
import type { KubeObject } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { SourceObject } from '../api/source-objects.ts';
import { messageOf } from '../gitops-error.ts';
import type { BuiltManifests } from './build-manifests.ts';

/** What a pass tells of one of its steps, when that is over. */
type StepFacts<T> = (result: T) => Readonly<Record<string, string | number | boolean>>;

/** What a pass is about, and what is known of its revision from before. */
interface TracedPass {
  readonly kind: string;
  readonly object: KubeObject;
  /** Whether the revision is applied already. */
  readonly isApplied: boolean;
  /** Whether a pass got as far before. */
  readonly isRepeated: boolean;
}

/** The pass of a Kustomization over a revision. */
export function passOf(object: Kustomization, revision: string): TracedPass {
  const { lastAppliedRevision, history = [] } = object.status ?? {};
  const isRepeated = history.some(
    ({ metadata, lastReconciledStatus }) =>
      metadata?.revision === revision && lastReconciledStatus !== 'ReconciliationFailed',
  );
  return { kind: 'Kustomization', object, isApplied: lastAppliedRevision === revision, isRepeated };
}

/**
 * The steps of one pass in the trace of its revision, each below the one before. A pass over what is
 * applied already is of no revision's way, and tells nothing.
 */
export class PassTrace {
  readonly #tracer: Tracer | undefined;
  readonly #clock: Clock;
  /** A second pass that gets as far is told too, by ids that are free. */
  readonly #pass: TracedPass;
  readonly #revision: TracedRevision;
  #parent: string;

  constructor(
    tracer: Tracer | undefined,
    clock: Clock,
    pass: TracedPass,
    source: SourceObject,
    revision: string,
  ) {
    const { uid = '' } = source.metadata;
    this.#tracer = pass.isApplied ? undefined : tracer;
    this.#clock = clock;
    this.#pass = pass;
    this.#revision = { sourceUid: uid, revision };
    this.#parent = spanIdOf(this.#revision, 'fetch', uid);
  }

  /** Does a step, and tells of it however it ends; not of one that was called off. */
  async step<T>(
    name: string,
    signal: AbortSignal,
    work: () => Promise<T>,
    factsOf?: StepFacts<T>,
  ): Promise<T> {
    if (this.#tracer === undefined) return work();
    const startMs = this.#clock.now();
    try {
      const result = await work();
      this.#tell(name, startMs, { attributes: factsOf?.(result) });
      return result;
    } catch (error) {
      if (!signal.aborted) this.#tell(name, startMs, { error: messageOf(error) });
      throw error;
    }
  }

  #tell(
    name: string,
    startMs: number,
    end: {
      readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
      readonly error?: string;
    },
  ): void {
    const { kind, object: about, isRepeated } = this.#pass;
    const { name: object = '', namespace = '', uid = '' } = about.metadata;
    const isFound = end.error === undefined && !isRepeated;
    this.#parent =
      this.#tracer?.step(this.#revision, {
        name,
        startMs,
        endMs: this.#clock.now(),
        spanId: isFound ? spanIdOf(this.#revision, name, uid) : newSpanId(),
        parentSpanId: this.#parent,
        error: end.error,
        attributes: {
          'waygate.kind': kind,
          'waygate.namespace': namespace,
          'waygate.name': object,
          'waygate.revision': this.#revision.revision,
          ...end.attributes,
        },
      }) ?? this.#parent;
  }
}

/** What a trace tells of a build. */
export function builtFacts({ objects }: BuiltManifests): Readonly<Record<string, number>> {
  return { 'waygate.objects': objects.length };
}

/** What a trace tells of an apply. */
export function appliedFacts(changes: readonly Change[]): Readonly<Record<string, number>> {
  const changed = changes.filter(({ action }) => action !== 'unchanged');
  return { 'waygate.objects': changes.length, 'waygate.changed': changed.length };
}
