import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { ItemChange, StreamMessage, Topic, Topics } from '../../../src/protocol/stream.ts';
import type { ApiFailure } from './api.ts';

/** `unread`: nobody asked yet, or it fell behind while nobody looked. */
type TopicState = 'unread' | 'reading' | 'ready';

/**
 * One live collection. Messages that come while its snapshot is being read wait for it: applied behind the
 * snapshot they are at worst things it already has, and every field ends as the last of them left it.
 */
export class TopicTable<T extends Topic> {
  readonly topic: T;
  readonly state = signal<TopicState>('unread');
  readonly failure = signal<ApiFailure | undefined>(undefined);
  /** Whether there is anything to show, be it from before. */
  readonly hasRows = signal(false);
  /** In the order in which they first came. */
  readonly rows: ReadonlySignal<readonly Topics[T][]>;
  readonly #items = new Map<string, Topics[T]>();
  readonly #changes = signal(0);
  #waiting: TopicMessage<T>[] = [];

  constructor(topic: T) {
    this.topic = topic;
    this.rows = computed(() => {
      this.#changes.value;
      return [...this.#items.values()];
    });
  }

  get(id: string): Topics[T] | undefined {
    this.#changes.value;
    return this.#items.get(id);
  }

  /** Without being told when it changes. */
  peek(id: string): Topics[T] | undefined {
    return this.#items.get(id);
  }

  /** From here on messages wait, until the snapshot is there. */
  beginReading(): void {
    this.state.value = 'reading';
    this.#waiting = [];
  }

  replace(items: readonly Topics[T][]): void {
    this.#items.clear();
    for (const item of items) this.#items.set(item.id, item);
    for (const message of this.#waiting) this.#apply(message);
    this.#waiting = [];
    this.state.value = 'ready';
    this.failure.value = undefined;
    this.hasRows.value = true;
    this.#changes.value++;
  }

  fail(failure: ApiFailure): void {
    this.failure.value = failure;
    this.state.value = 'unread';
  }

  /** No longer in the stream. What is there may be shown until it is read again. */
  forget(): void {
    this.state.value = 'unread';
    this.#waiting = [];
  }

  take(message: TopicMessage<T>): void {
    if (this.state.value === 'reading') this.#waiting.push(message);
    if (this.state.value !== 'ready') return;
    this.#apply(message);
    this.#changes.value++;
  }

  #apply(message: TopicMessage<T>): void {
    if ('reset' in message) return;
    for (const id of message.drop ?? []) this.#items.delete(id);
    for (const item of message.put ?? []) this.#items.set(item.id, item as Topics[T]);
    for (const change of message.set ?? []) {
      const item = this.#items.get(change.id);
      // One that is not there was dropped before the snapshot was made; its drop is still to come.
      if (item !== undefined) this.#items.set(change.id, changed(item, change));
    }
  }
}

/** The item with other fields. */
function changed<Item extends { readonly id: string }>(
  item: Item,
  change: ItemChange<Topics[Topic]>,
): Item {
  const fields = Object.entries({ ...item, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(fields) as Item;
}

export type TopicMessage<T extends Topic> = Extract<StreamMessage, { readonly topic: T }>;

/** All of them. */
export type TopicTables = { readonly [T in Topic]: TopicTable<T> };

export function createTables(): TopicTables {
  return {
    flow: new TopicTable('flow'),
    routes: new TopicTable('routes'),
    traffic: new TopicTable('traffic'),
    changes: new TopicTable('changes'),
    problems: new TopicTable('problems'),
  };
}
