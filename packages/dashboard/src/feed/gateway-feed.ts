import type { AdminClient, Operation, StoredEntity } from '@waygate/kong';
import type { Clock } from '@waygate/runtime';
import { equalJson } from '@waygate/text';
import { type ShownCollection, shownCollections } from '../view/gateway-model.ts';
import type { View } from '../view/view.ts';
import { HealthFeed } from './health-feed.ts';

/** One entity that is other than it was. */
export interface EntityChange {
  readonly collection: ShownCollection;
  readonly id: string;
  readonly before: StoredEntity | undefined;
  readonly after: StoredEntity | undefined;
}

interface GatewayFeedOptions {
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

/** Keeps what is known of a gateway true: reads it now and then, and is told of writes in between. */
export class GatewayFeed {
  readonly #options: GatewayFeedOptions;
  #hasRead = false;
  /** Whether a controller of this process tells what it writes. */
  #isTold = false;
  #isReadWanted = false;
  #wake: (() => void) | undefined;
  readonly #health: HealthFeed;
  /** Resolves when the gateway was read once, or could not be. */
  readonly hasTried: Promise<void>;
  #tried: () => void = () => undefined;

  constructor(options: GatewayFeedOptions) {
    this.#options = options;
    this.#health = new HealthFeed(options);
    this.hasTried = new Promise((resolve) => {
      this.#tried = resolve;
    });
  }

  /** Reads and asks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#reads(signal), this.#health.run(signal)]);
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

  /** Nobody tells of writes any more: what was written since is read at once. */
  noteUntold(): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    this.noteApply();
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
    // Of what is new, whether it works is asked at once: it does not wait for its turn.
    await this.#health.askOfNew(signal);
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
