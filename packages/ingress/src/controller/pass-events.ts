import type { KubeClient } from '@waygate/kube';
import type { Clock, EventRecorder } from '@waygate/runtime';
import { kinds } from '@waygate/schema';
import { type ObjectReference, referenceTo } from '../objects/reference.ts';
import type { PodReference } from '../status/node-addresses.ts';
import type { PassReport } from '../sync/pass-report.ts';
import type { Problem } from '../translate/problem.ts';
import { ProblemReporter } from './problem-reporter.ts';

interface PassEventsOptions {
  readonly recorder: EventRecorder;
  readonly client: KubeClient;
  /** The Pod that we run in: Events on the configuration as a whole are written on it. */
  readonly pod: PodReference | undefined;
  readonly clock: Clock;
  /** How long a problem must last to be told. 3 s: objects of one application come close together. */
  readonly holdMs?: number | undefined;
  /** Whether this replica speaks of objects that all replicas see. */
  readonly isLeader: () => boolean;
  /** All problems of the translation as it is now. */
  readonly problemsNow: () => readonly Problem[];
  readonly onError: (error: unknown) => void;
}

/** Writes Events about passes: on objects with problems, and on our own Pod when the tide turns. */
export class PassEvents {
  readonly #options: PassEventsOptions;
  readonly #translation: ProblemReporter;
  readonly #beside: ProblemReporter;
  readonly #application: ProblemReporter;
  readonly #fallbackApplication: ProblemReporter;
  #pod: Promise<ObjectReference | undefined> | undefined;
  /** The reason of the last Event on our Pod: saying it again is no news. */
  #lastReason = '';

  constructor(options: PassEventsOptions) {
    this.#options = options;
    const { recorder, clock, isLeader: isSpeaking, problemsNow, holdMs = 3_000 } = options;
    const shared = { recorder, clock, isSpeaking };
    const reason = 'KongConfigurationTranslationFailed';
    this.#translation = new ProblemReporter({ ...shared, reason, holdMs, problemsNow });
    this.#beside = new ProblemReporter({ ...shared, reason });
    this.#application = new ProblemReporter({ ...shared, reason: 'KongConfigurationApplyFailed' });
    this.#fallbackApplication = new ProblemReporter({
      ...shared,
      reason: 'FallbackKongConfigurationApplyFailed',
    });
  }

  pass(report: PassReport, more: readonly Problem[], isFallback: boolean): void {
    if (report.snapshot !== undefined) {
      const gone = new Set(report.removed.map(({ metadata }) => metadata.uid));
      const isGone = ({ uid }: ObjectReference) => gone.has(uid);
      this.#translation.replace(report.snapshot.problems, isGone);
    }
    if (report.snapshot === undefined)
      this.#translation.add(report.services.flatMap(({ problems }) => [...problems]));
    (isFallback ? this.#fallbackApplication : this.#application).add(report.rejected);
    this.#beside.add(more);
    const { outcome } = report;
    const prefix = isFallback ? 'Fallback' : '';
    if (outcome.kind === 'applied')
      this.#onPod(
        'Normal',
        `${prefix}KongConfigurationSucceeded`,
        'successfully applied Kong configuration',
      );
    else if (outcome.kind !== 'unchanged')
      this.#onPod(
        'Warning',
        `${prefix}KongConfigurationApplyFailed`,
        `failed to apply Kong configuration: ${outcome.error.message}`,
      );
  }

  #onPod(type: 'Normal' | 'Warning', reason: string, message: string): void {
    if (this.#options.pod === undefined || reason === this.#lastReason) return;
    this.#lastReason = reason;
    this.#pod ??= this.#findPod(this.#options.pod);
    void this.#pod.then((pod) => {
      if (pod !== undefined) this.#options.recorder.event(pod, type, reason, message);
    });
  }

  async #findPod({ namespace, name }: PodReference): Promise<ObjectReference | undefined> {
    const { client, onError } = this.#options;
    try {
      return referenceTo({
        apiVersion: 'v1',
        kind: 'Pod',
        ...(await client.resource(kinds.Pod).get(name, { namespace })),
      });
    } catch (error) {
      onError(error);
      return undefined;
    }
  }
}
