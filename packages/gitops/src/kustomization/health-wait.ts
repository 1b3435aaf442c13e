import { type Change, HealthExpressions } from '@waygate/apply';
import type { KubeClient } from '@waygate/kube';
import type { Clock } from '@waygate/runtime';
import { apiVersionOf, parseApiVersion } from '@waygate/schema';
import { requestedAtAnnotation } from '../api/annotations.ts';
import type { Kustomization, KustomizationSpec } from '../api/kustomization-object.ts';
import type { Artifact } from '../api/source-objects.ts';
import { messageOf } from '../gitops-error.ts';
import {
  checkHealth,
  type HealthRule,
  type HealthTarget,
  type HealthVerdict,
  judgeHealth,
} from './health-check.ts';

interface HealthStart {
  readonly digest: string;
  /** When the reconciliation began, and so did what its history tells. */
  readonly startedMs: number;
  readonly timeoutMs: number;
  /** A new revision changed something, so that people want to hear that it is healthy. */
  readonly isNews: boolean;
  readonly wasUnhealthy: boolean;
}

/** One wait for health, over as many looks as it takes. */
export class HealthProgress {
  readonly generation: number;
  /** What somebody asked for when it began: what is asked later starts anew. */
  readonly requestedAt: string | undefined;
  readonly artifact: Artifact;
  readonly digest: string;
  readonly startedMs: number;
  readonly beganMs: number;
  readonly deadlineMs: number;
  readonly isNews: boolean;
  readonly wasUnhealthy: boolean;
  readonly rule: HealthRule | undefined;
  /** Those that are not known to be healthy. */
  targets: readonly HealthTarget[];
  #looks = 0;

  constructor(
    object: Kustomization,
    artifact: Artifact,
    targets: readonly HealthTarget[],
    start: HealthStart,
    nowMs: number,
  ) {
    this.generation = object.metadata.generation ?? 0;
    this.requestedAt = object.metadata.annotations?.[requestedAtAnnotation];
    this.artifact = artifact;
    this.targets = targets;
    this.digest = start.digest;
    this.startedMs = start.startedMs;
    this.beganMs = nowMs;
    this.deadlineMs = nowMs + start.timeoutMs;
    this.isNews = start.isNews;
    this.wasUnhealthy = start.wasUnhealthy;
    this.rule = HealthWaits.ruleOf(object.spec);
  }

  /** Changes of managed objects wake the Kustomization at once; this is for all others. */
  nextLookMs(): number {
    return Math.min(100 * 2 ** this.#looks++, 5000);
  }
}

/**
 * Waits for health that are under way. A wait holds no worker: the reconciliation ends, and comes
 * back when something changes. A new generation, revision or request ends the wait.
 */
export class HealthWaits {
  readonly #clock: Clock;
  readonly #byKey = new Map<string, HealthProgress>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string, object: Kustomization, artifact: Artifact): HealthProgress | undefined {
    const progress = this.#byKey.get(key);
    if (progress === undefined) return undefined;
    const isSame =
      progress.generation === (object.metadata.generation ?? 0) &&
      progress.requestedAt === object.metadata.annotations?.[requestedAtAnnotation] &&
      progress.artifact.revision === artifact.revision &&
      progress.artifact.digest === artifact.digest;
    if (!isSame) this.#byKey.delete(key);
    return isSame ? progress : undefined;
  }

  start(
    key: string,
    object: Kustomization,
    artifact: Artifact,
    targets: readonly HealthTarget[],
    start: HealthStart,
  ): HealthProgress {
    const now = this.#clock.monotonicMs();
    const progress = new HealthProgress(object, artifact, targets, start, now);
    this.#byKey.set(key, progress);
    return progress;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  async look(
    progress: HealthProgress,
    client: KubeClient,
    signal: AbortSignal,
  ): Promise<HealthVerdict> {
    const states = await checkHealth(progress.targets, {
      client,
      now: this.#clock.now(),
      rule: progress.rule,
      signal,
    });
    progress.targets = states
      .filter(({ status }) => status !== 'Current')
      .map(({ target }) => target);
    return judgeHealth(states);
  }

  /** All that was applied, or what the spec lists. */
  targetsOf(object: Kustomization, changes: readonly Change[]): HealthTarget[] {
    const { spec, metadata } = object;
    if (spec.wait === true) {
      return changes
        .filter(({ action }) => action !== 'skipped')
        .filter(({ id }) => !isSelf(object, id))
        .map(({ id, entry }) => ({
          apiVersion: apiVersionOf(id.group, entry.v),
          kind: id.kind,
          name: id.name,
          namespace: id.namespace,
        }));
    }
    return (spec.healthChecks ?? []).map(({ apiVersion, kind, name, namespace }) => ({
      apiVersion: apiVersion === undefined || apiVersion === '' ? 'apps/v1' : apiVersion,
      kind,
      name,
      namespace: namespace ?? metadata.namespace ?? '',
    }));
  }

  /** @throws ApplyError for an expression that cannot be compiled */
  static ruleOf(spec: Pick<KustomizationSpec, 'healthCheckExprs'>): HealthRule | undefined {
    const { healthCheckExprs = [] } = spec;
    if (healthCheckExprs.length === 0) return undefined;
    const rules = healthCheckExprs.map((one) => ({
      apiVersion: one.apiVersion,
      kind: one.kind,
      expressions: new HealthExpressions(one),
    }));
    return (object, budget) => {
      const { group } = parseApiVersion(object.apiVersion ?? '');
      const found = rules.find(
        ({ apiVersion, kind }) =>
          parseApiVersion(apiVersion).group === group &&
          (kind === undefined || kind === '' || kind === object.kind),
      );
      if (found === undefined) return undefined;
      try {
        return found.expressions.health(object, budget);
      } catch (error) {
        return { status: 'Unknown', message: messageOf(error), conditions: [] };
      }
    };
  }
}

function isSelf(
  { metadata }: Kustomization,
  id: { group: string; kind: string; namespace: string; name: string },
): boolean {
  return (
    id.kind === 'Kustomization' &&
    id.group === 'kustomize.toolkit.fluxcd.io' &&
    id.namespace === metadata.namespace &&
    id.name === metadata.name
  );
}
