import {
  Backoff,
  DeletedFinalStateUnknown,
  deletionHandlingMetaNamespaceKey,
  Indexer,
  MutationCache,
  metaNamespaceKey,
  RetryWithDeadline,
  SyncTracker,
  splitMetaNamespaceKey,
} from '@waygate/runtime';
import { fail, type Outcome } from '../driver.ts';
import { type ObjectData, objectFrom, type ScenarioObject } from './client-go-object.ts';
import {
  differs,
  type Problem,
  type Scenario,
  ScenarioRun,
  type Step,
  unknownOp,
} from './client-go-scenario.ts';

import { runHttp, runWatchDecode } from './client-go-wire.ts';

/** Runs one scenario of `helpers.json`. */
export async function runHelper(scenario: Scenario): Promise<Outcome> {
  switch (scenario.kind) {
    case 'retryWithDeadline':
      return new RetryRun(scenario).play(scenario.steps ?? []);
    case 'syncTracker':
      return new SyncTrackerRun(scenario).play(scenario.steps ?? []);
    case 'backoff':
      return new BackoffRun(scenario).play(scenario.steps ?? []);
    case 'keys':
      return new KeysRun(scenario).play(scenario.steps ?? []);
    case 'mutationCache':
      return new MutationCacheRun(scenario).play(scenario.steps ?? []);
    case 'http':
      return runHttp(scenario);
    case 'watchDecode':
      return runWatchDecode(scenario);
    default:
      return fail(`the driver does not know the kind ${scenario.kind}`);
  }
}

class RetryRun extends ScenarioRun {
  private readonly retry = new RetryWithDeadline(
    this.config.maxMs as number,
    this.config.resetMs as number,
    (error) => error === this.config.retryable,
    this.clock,
  );

  protected override perform(step: Step): unknown {
    if (step.op !== 'errorThenShouldRetry') return unknownOp(step);
    this.clock.jump((step.advanceMs as number | undefined) ?? 0);
    this.retry.after(step.error === 'none' ? undefined : step.error);
    return this.retry.shouldRetry();
  }
}

class SyncTrackerRun extends ScenarioRun {
  private hasUpstreamSynced = false;
  private readonly tracker = new SyncTracker(() => this.hasUpstreamSynced);

  protected override perform(step: Step): unknown {
    const times = (step.times as number | undefined) ?? 1;
    switch (step.op) {
      case 'start':
        for (let left = times; left > 0; left--) this.tracker.start();
        return undefined;
      case 'finish':
        for (let left = times; left > 0; left--) this.tracker.finished();
        return undefined;
      case 'upstreamSynced':
        this.hasUpstreamSynced = true;
        return undefined;
      case 'hasSynced':
        return this.tracker.hasSynced;
      default:
        return unknownOp(step);
    }
  }
}

class BackoffRun extends ScenarioRun {
  private readonly backoff = new Backoff({
    initialMs: this.config.initMs as number,
    maxMs: this.config.maxMs as number,
    factor: this.config.factor as number,
    jitter: this.config.jitter as number,
    resetMs: this.config.resetMs as number,
    clock: this.clock,
  });

  protected override perform(step: Step): unknown {
    return step.op === 'next' ? this.backoff.nextMs() : unknownOp(step);
  }

  protected override check(step: Step, result: unknown): Problem {
    if (step.expectMs !== undefined) return differs(step.expectMs, result);
    if (!Array.isArray(step.between)) return undefined;
    const [least, most] = step.between as [number, number];
    const ms = result as number;
    return ms >= least && ms <= most ? undefined : `${ms} is not in [${least}, ${most}]`;
  }
}

class KeysRun extends ScenarioRun {
  protected override perform(step: Step): unknown {
    switch (step.op) {
      case 'key':
        return metaNamespaceKey(objectFrom(step.obj as ObjectData));
      case 'split': {
        const { namespace, name } = splitMetaNamespaceKey(step.key as string);
        return [namespace, name];
      }
      case 'deletionKey': {
        const data = step.obj as ObjectData;
        const tombstone = data.tombstone as { key: string; obj: ObjectData | null } | undefined;
        if (tombstone === undefined) return deletionHandlingMetaNamespaceKey(objectFrom(data));
        const object = tombstone.obj === null ? undefined : objectFrom(tombstone.obj);
        return deletionHandlingMetaNamespaceKey(
          new DeletedFinalStateUnknown<ScenarioObject>(tombstone.key, object),
        );
      }
      default:
        return unknownOp(step);
    }
  }
}

class MutationCacheRun extends ScenarioRun {
  private readonly store = new Indexer<ScenarioObject>();
  private readonly cache = new MutationCache(this.store, {
    clock: this.clock,
    includeAdds: this.config.includeAdds === true,
    ...(typeof this.config.ttlMs === 'number' ? { ttlMs: this.config.ttlMs } : {}),
  });

  protected override perform(step: Step): unknown {
    const object = () => objectFrom(step.obj as ObjectData);
    const key = step.key as string;
    switch (step.op) {
      case 'mutation':
        return this.cache.mutation(object());
      case 'onAddOrUpdate':
        return this.cache.onAddOrUpdate(object());
      case 'onDelete':
        return this.cache.onDelete(object());
      case 'storeAdd':
        return this.store.add(object());
      case 'storeDelete':
        return this.store.remove(key);
      case 'getRV':
        return this.cache.getByKey(key)?.metadata.resourceVersion;
      case 'exists':
        return this.cache.getByKey(key) !== undefined;
      default:
        return unknownOp(step);
    }
  }
}
