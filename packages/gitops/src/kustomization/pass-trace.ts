import type { Change } from '@waygate/apply';
import {
  type Clock,
  newSpanId,
  spanIdOf,
  type TracedRevision,
  type Tracer,
} from '@waygate/runtime';
import type { Kustomization } from '../api/kustomization-object.ts';
import type { SourceObject } from '../api/source-objects.ts';
import { messageOf } from '../gitops-error.ts';
import type { BuiltManifests } from './build-manifests.ts';

/** What a pass tells of one of its steps, when that is over. */
type StepFacts<T> = (result: T) => Readonly<Record<string, string | number | boolean>>;

/**
 * The steps of one pass in the trace of its revision, each below the one before. A pass over what is
 * applied already is of no revision's way, and tells nothing.
 */
export class PassTrace {
  readonly #tracer: Tracer | undefined;
  readonly #clock: Clock;
  readonly #object: Kustomization;
  readonly #revision: TracedRevision;
  /** A second pass that gets as far is told too, by ids that are free. */
  readonly #isRepeated: boolean;
  #parent: string;

  constructor(
    tracer: Tracer | undefined,
    clock: Clock,
    object: Kustomization,
    source: SourceObject,
    revision: string,
  ) {
    const { uid = '' } = source.metadata;
    const { lastAppliedRevision, history = [] } = object.status ?? {};
    this.#tracer = lastAppliedRevision === revision ? undefined : tracer;
    this.#clock = clock;
    this.#object = object;
    this.#revision = { sourceUid: uid, revision };
    this.#isRepeated = history.some(
      ({ metadata, lastReconciledStatus }) =>
        metadata?.revision === revision && lastReconciledStatus !== 'ReconciliationFailed',
    );
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
    const { name: object = '', namespace = '', uid = '' } = this.#object.metadata;
    const isFound = end.error === undefined && !this.#isRepeated;
    this.#parent =
      this.#tracer?.step(this.#revision, {
        name,
        startMs,
        endMs: this.#clock.now(),
        spanId: isFound ? spanIdOf(this.#revision, name, uid) : newSpanId(),
        parentSpanId: this.#parent,
        error: end.error,
        attributes: {
          'waygate.kind': 'Kustomization',
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
