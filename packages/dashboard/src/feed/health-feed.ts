import { type AdminClient, KongError, runInParallel, type StoredEntity } from '@waygate/kong';
import type { Clock } from '@waygate/runtime';
import { isObject } from '@waygate/text';
import type { Health } from '../protocol/reference.ts';
import { targetHealth } from '../view/prometheus-text.ts';
import type { View } from '../view/view.ts';

interface HealthFeedOptions {
  readonly client: () => AdminClient | undefined;
  readonly view: View;
  readonly clock: Clock;
  /** Something to be shown has changed. */
  readonly onTouch: () => void;
}

/** Upstreams that are asked about again, a second. */
const healthRate = 20;
const healthConcurrency = 4;
/** Of what nothing is known yet: all of it, but never more at once. */
const newConcurrency = 16;

/**
 * Asks a gateway which targets its upstreams have, and how they do: there is no list of all. Of an upstream that
 * was not asked about nothing is told, neither good nor bad, so new ones come first, and all of them at once; the
 * others in turn.
 */
export class HealthFeed {
  readonly #options: HealthFeedOptions;
  /** Names of upstreams that a gateway has answered about. Those that are gone are not kept. */
  #asked = new Set<string>();
  #turn: string[] = [];
  #asking: Promise<void> = Promise.resolve();

  constructor(options: HealthFeedOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, view } = this.#options;
    while (await clock.sleep(1_000, signal)) {
      // Whoever cannot be asked now is asked again.
      await this.askOfNew(signal).catch(() => undefined);
      if (this.#turn.length === 0) this.#turn = [...view.gateway.upstreamNames()];
      const names = this.#turn.splice(0, healthRate);
      await this.#ask(names, healthConcurrency, signal).catch(() => undefined);
    }
  }

  /** Asks about every upstream that has not been asked about, and forgets those that are gone. */
  async askOfNew(signal: AbortSignal): Promise<void> {
    // One after the other: whoever comes second finds that most has been asked.
    this.#asking = this.#asking.catch(() => undefined).then(() => this.#askOfNew(signal));
    await this.#asking;
  }

  async #askOfNew(signal: AbortSignal): Promise<void> {
    const names = [...this.#options.view.gateway.upstreamNames()];
    this.#asked = new Set(names.filter((name) => this.#asked.has(name)));
    const unasked = names.filter((name) => !this.#asked.has(name));
    await this.#ask(unasked, newConcurrency, signal);
  }

  async #ask(names: readonly string[], concurrency: number, signal: AbortSignal): Promise<void> {
    await runInParallel(names, concurrency, async (name) => {
      const client = this.#options.client();
      if (client === undefined) return;
      const path = `upstreams/${encodeURIComponent(name)}/health`;
      const answer = await client.send('GET', path, { signal }).catch((error: unknown) => {
        if (error instanceof KongError && error.status === 404) return undefined;
        throw error;
      });
      this.#asked.add(name);
      if (isObject(answer) && Array.isArray(answer.data)) this.#note(name, answer.data);
      this.#options.onTouch();
    });
  }

  #note(upstream: string, data: readonly unknown[]): void {
    const { view } = this.#options;
    const health = new Map<string, Health>();
    const found = new Map<string, StoredEntity>();
    for (const each of data) {
      if (!isObject(each) || typeof each.id !== 'string') continue;
      const { id, target, weight, upstream: owner, health: state } = each;
      health.set(String(target), targetHealth(String(state ?? '')));
      found.set(id, { id, target, weight, upstream: owner } as StoredEntity);
    }
    for (const [id, entity] of found) {
      const before = view.gateway.get('targets', id);
      if (before === undefined || !isSameTarget(before, entity))
        view.changeEntity('targets', id, entity);
    }
    for (const id of view.targetIds(view.gateway.upstreamId(upstream) ?? ''))
      if (!found.has(id)) view.changeEntity('targets', id, undefined);
    view.changeHealth(upstream, health);
  }
}

function isSameTarget(before: StoredEntity, after: StoredEntity): boolean {
  return before.target === after.target && before.weight === after.weight;
}
