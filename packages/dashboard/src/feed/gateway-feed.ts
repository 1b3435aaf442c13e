import {
  type AdminClient,
  KongError,
  type Operation,
  runInParallel,
  type StoredEntity,
} from '@waygate/kong';
import type { Clock } from '@waygate/runtime';
import { equalJson, isObject } from '@waygate/text';
import type { Health } from '../protocol/reference.ts';
import { type ShownCollection, shownCollections } from '../view/gateway-model.ts';
import { targetHealth } from '../view/prometheus-text.ts';
import type { View } from '../view/view.ts';

/** One entity that is other than it was. */
export interface EntityChange {
  readonly collection: ShownCollection;
  readonly id: string;
  readonly before: StoredEntity | undefined;
  readonly after: StoredEntity | undefined;
}

export interface GatewayFeedOptions {
  /** Asked each time: a gateway may go, and another come. */
  readonly client: () => AdminClient | undefined;
  readonly view: View;
  readonly clock: Clock;
  /** Told of everything that is other than it was; not of what was there at the start. */
  readonly onChanges: (changes: readonly EntityChange[]) => void;
  /** Something to be shown has changed. */
  readonly onTouch: () => void;
}

/** How often all is read again where nobody tells of changes, and where somebody does. */
const untoldMs = 5_000;
const toldMs = 5 * 60_000;
/** Reading must not be what a gateway is busy with: it may take this share of the time. */
const mostShare = 0.1;
/** Requests for the health of targets, a second. */
const healthRate = 20;
const healthConcurrency = 4;

/** Keeps what is known of a gateway true: reads it now and then, and is told of writes in between. */
export class GatewayFeed {
  readonly #options: GatewayFeedOptions;
  #hasRead = false;
  /** Whether a controller of this process tells what it writes. */
  #isTold = false;
  #isReadWanted = false;
  #wake: (() => void) | undefined;
  #upstreams: string[] = [];
  /** Resolves when the gateway was read once, or could not be. */
  readonly hasTried: Promise<void>;
  #tried: () => void = () => undefined;

  constructor(options: GatewayFeedOptions) {
    this.#options = options;
    this.hasTried = new Promise((resolve) => {
      this.#tried = resolve;
    });
  }

  /** Reads and asks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#reads(signal), this.#asksHealth(signal)]);
  }

  /** What was written to the gateway, so that it need not be read. */
  noteWritten(operations: readonly Operation[]): void {
    this.#isTold = true;
    if (!this.#hasRead) return;
    const { view } = this.#options;
    const changes = operations.flatMap((operation): EntityChange[] => {
      const { collection, id, op, after, isRelease } = operation;
      if (!isShown(collection) || isRelease === true) return [];
      const before = view.gateway.get(collection, id);
      // Of an update, what was sent is laid over what is there.
      const now = op === 'delete' ? undefined : ({ ...before, ...after } as StoredEntity);
      // What was not known and is gone was nothing to anybody here.
      return before === undefined && now === undefined
        ? []
        : [{ collection, id, before, after: now }];
    });
    this.#tell(changes);
  }

  /** The gateway took something: it is read now, unless somebody told what it was. */
  noteApply(): void {
    if (this.#isTold) return;
    this.#isReadWanted = true;
    this.#wake?.();
  }

  async #reads(signal: AbortSignal): Promise<void> {
    const { clock, view } = this.#options;
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs();
      this.#isReadWanted = false;
      try {
        await this.#read(signal);
        view.setGatewayFault('read', undefined);
      } catch (error) {
        if (signal.aborted) return;
        view.setGatewayFault('read', `the gateway cannot be read: ${(error as Error).message}`);
      }
      this.#tried();
      this.#options.onTouch();
      const tookMs = clock.monotonicMs() - startedMs;
      const pauseMs = this.#isTold && this.#hasRead ? toldMs : untoldMs;
      await this.#pause(Math.max(pauseMs, tookMs / mostShare), signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isReadWanted) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.#options.clock.sleep(ms, AbortSignal.any([signal, woken.signal]));
    this.#wake = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const client = this.#options.client();
    if (client === undefined) throw new Error('no gateway answers');
    const changes: EntityChange[] = [];
    for (const collection of shownCollections) {
      // The targets come with their health.
      if (collection === 'targets') continue;
      const found = new Map<string, StoredEntity>();
      for await (const page of client.pages(collection, { signal }))
        for (const entity of page) found.set(entity.id, entity);
      changes.push(...this.#differences(collection, found));
    }
    const isFirst = !this.#hasRead;
    this.#hasRead = true;
    this.#put(changes);
    const news = isFirst ? [] : changes.filter(isNews);
    if (news.length > 0) this.#options.onChanges(news);
    if (isFirst) await this.#readHealth([...this.#options.view.gateway.upstreamNames()], signal);
  }

  #differences(
    collection: ShownCollection,
    found: ReadonlyMap<string, StoredEntity>,
  ): EntityChange[] {
    const { gateway } = this.#options.view;
    const changes: EntityChange[] = [];
    for (const [id, after] of found) {
      const before = gateway.get(collection, id);
      if (before === undefined || !isSameEntity(before, after))
        changes.push({ collection, id, before, after });
    }
    for (const id of gateway.ids(collection))
      if (!found.has(id))
        changes.push({ collection, id, before: gateway.get(collection, id), after: undefined });
    return changes;
  }

  #tell(changes: readonly EntityChange[]): void {
    if (changes.length === 0) return;
    this.#put(changes);
    this.#options.onChanges(changes);
    this.#options.onTouch();
  }

  #put(changes: readonly EntityChange[]): void {
    for (const { collection, id, after } of changes)
      this.#options.view.changeEntity(collection, id, after);
  }

  /** Asks for the health of some upstreams at a time, in turn: of few, each is asked about often. */
  async #asksHealth(signal: AbortSignal): Promise<void> {
    const { clock, view } = this.#options;
    while (await clock.sleep(1_000, signal)) {
      if (!this.#hasRead) continue;
      if (this.#upstreams.length === 0) this.#upstreams = [...view.gateway.upstreamNames()];
      const names = this.#upstreams.splice(0, healthRate);
      if (names.length > 0) await this.#readHealth(names, signal).catch(() => undefined);
      this.#options.onTouch();
    }
  }

  async #readHealth(names: readonly string[], signal: AbortSignal): Promise<void> {
    await runInParallel([...names], healthConcurrency, async (name) => {
      const client = this.#options.client();
      if (client === undefined) return;
      const path = `upstreams/${encodeURIComponent(name)}/health`;
      const answer = await client.send('GET', path, { signal }).catch((error: unknown) => {
        if (error instanceof KongError && error.status === 404) return undefined;
        throw error;
      });
      if (isObject(answer) && Array.isArray(answer.data)) this.#noteHealth(name, answer.data);
    });
  }

  #noteHealth(upstream: string, data: readonly unknown[]): void {
    const { view } = this.#options;
    const health = new Map<string, Health>();
    const found = new Map<string, StoredEntity>();
    let upstreamId: string | undefined;
    for (const each of data) {
      if (!isObject(each) || typeof each.id !== 'string') continue;
      const { id, target, weight, upstream: owner, health: state } = each;
      upstreamId = (owner as { readonly id?: string } | undefined)?.id;
      health.set(String(target), targetHealth(String(state ?? '')));
      const entity = { id, target, weight, upstream: owner } as StoredEntity;
      found.set(id, entity);
    }
    view.changeHealth(upstream, health);
    for (const [id, entity] of found) {
      const before = view.gateway.get('targets', id);
      if (before === undefined || !isSameTarget(before, entity))
        view.changeEntity('targets', id, entity);
    }
    if (upstreamId !== undefined) this.#dropTargets(upstreamId, found);
  }

  #dropTargets(upstreamId: string, found: ReadonlyMap<string, unknown>): void {
    const { view } = this.#options;
    for (const id of view.targetIds(upstreamId))
      if (!found.has(id)) view.changeEntity('targets', id, undefined);
  }
}

function isShown(collection: string): collection is ShownCollection {
  return (shownCollections as readonly string[]).includes(collection);
}

/** A write that changed nothing may have moved the time. */
function isSameEntity(before: StoredEntity, after: StoredEntity): boolean {
  const { updated_at: _before, ...left } = before;
  const { updated_at: _after, ...right } = after;
  return equalJson(left as never, right as never);
}

/** Defaults that the gateway filled in are no news to whoever knows what was sent to it. */
function isNews({ before, after }: EntityChange): boolean {
  if (before === undefined || after === undefined) return true;
  const { updated_at: _before, ...known } = before;
  return Object.entries(known).some(
    ([field, value]) => !equalJson(value as never, after[field] as never),
  );
}

function isSameTarget(before: StoredEntity, after: StoredEntity): boolean {
  return before.target === after.target && before.weight === after.weight;
}
