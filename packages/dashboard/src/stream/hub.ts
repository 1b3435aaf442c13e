import { randomBytes } from 'node:crypto';
import type { StreamMessage, Topic, Topics } from '../protocol/stream.ts';
import type { Guarded, Rights } from '../view/guarded.ts';
import { eventText } from './event-text.ts';
import { changeFor, type TopicChange, TopicFeed } from './topic-feed.ts';

/** All topics, in the order in which pages name them. */
export const topicNames = ['flow', 'routes', 'traffic', 'changes', 'problems'] as const;

/** Where the events of one page go. */
interface EventSink {
  /** False when the reader is behind; nothing more is written until `Subscription.resume`. */
  write(text: string): boolean;
}

/** The topics of a page, each with the version that it knows, if it knows one. */
export type Wanted = ReadonlyMap<Topic, string | undefined>;

type Feeds = { readonly [T in Topic]: TopicFeed<T> };

/**
 * What all pages read: every topic once, and a message for all who may see the same made once. A reader
 * that is too slow has nothing queued for it: it is told what differs when it reads on.
 */
export class Hub {
  readonly #feeds: Feeds;
  readonly #subscriptions = new Set<Subscription>();
  /** Tells the versions of this process from those of one before it. */
  readonly #epoch: string;
  #version = 0;

  constructor(options: { readonly remembered?: number; readonly epoch?: string } = {}) {
    const { remembered, epoch = randomBytes(6).toString('base64url').replaceAll('-', '_') } =
      options;
    this.#epoch = epoch;
    this.#feeds = {
      flow: new TopicFeed(remembered),
      routes: new TopicFeed(remembered),
      traffic: new TopicFeed(remembered),
      changes: new TopicFeed(remembered),
      problems: new TopicFeed(remembered),
    };
  }

  get pageCount(): number {
    return this.#subscriptions.size;
  }

  feed<T extends Topic>(topic: T): TopicFeed<T> {
    return this.#feeds[topic] as unknown as TopicFeed<T>;
  }

  /** What a person who has seen everything up to now knows. */
  versionFor(rights: Rights): string {
    return `${this.#epoch}-${this.#version}-${rights.id}`;
  }

  publish<T extends Topic>(
    topic: T,
    changes: ReadonlyMap<string, Guarded<Topics[T]> | undefined>,
  ): void {
    if (changes.size === 0) return;
    const before = this.#version;
    this.#version += 1;
    const applied = this.feed(topic).apply(changes, this.#version);
    const texts = new Map<string, string | undefined>();
    for (const subscription of this.#subscriptions) {
      if (!subscription.isUpTo(before)) continue;
      const { rights } = subscription;
      if (!texts.has(rights.id))
        texts.set(rights.id, this.#textOf(topic, changeFor(applied, rights), rights));
      subscription.take(topic, texts.get(rights.id), this.#version);
    }
  }

  /** Tells a sink of everything from the versions that it knows on, until it is closed. */
  subscribe(sink: EventSink, wanted: Wanted, rights: Rights): Subscription {
    const subscription = new Subscription(sink, [...wanted.keys()], rights, (of) =>
      this.#catchUp(of, (topic) => of.known(topic)),
    );
    this.#subscriptions.add(subscription);
    this.#catchUp(subscription, (topic) => this.#parse(wanted.get(topic), rights));
    return subscription;
  }

  close(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
  }

  /** A person's rights are others now: what their page holds may not be theirs any more. */
  setRights(subscription: Subscription, rights: Rights): void {
    if (rights.id === subscription.rights.id) return;
    subscription.rights = rights;
    this.#catchUp(subscription, () => undefined);
  }

  #textOf(topic: Topic, change: TopicChange<Topic>, rights: Rights): string | undefined {
    if (isEmpty(change)) return undefined;
    return eventText(messageOf(topic, change), this.versionFor(rights));
  }

  /**
   * Brings a page from what it knows to now. Only the last event has the id: whoever is cut off before it
   * asks again from where it was.
   */
  #catchUp(subscription: Subscription, known: (topic: Topic) => number | undefined): void {
    const { rights, topics } = subscription;
    const version = this.versionFor(rights);
    const messages = topics.flatMap((topic): StreamMessage[] => {
      const from = known(topic);
      const change = from === undefined ? undefined : this.feed(topic).since(from, rights);
      if (change === undefined) return [{ topic, reset: true }];
      return isEmpty(change) ? [] : [messageOf(topic, change)];
    });
    const texts = messages.map((message, index) =>
      eventText(message, index === messages.length - 1 ? version : undefined),
    );
    subscription.takeAll(texts.join(''), this.#version);
  }

  /** The number in a version; undefined when it is of another process, or of other rights. */
  #parse(version: string | undefined, rights: Rights): number | undefined {
    const [epoch, number, ...rest] = (version ?? '').split('-');
    if (epoch !== this.#epoch || rest.join('-') !== rights.id) return undefined;
    const parsed = /^\d{1,15}$/.test(number ?? '') ? Number(number) : undefined;
    return parsed === undefined || parsed > this.#version ? undefined : parsed;
  }
}

/** One open page. */
export class Subscription {
  readonly topics: readonly Topic[];
  rights: Rights;
  readonly #sink: EventSink;
  readonly #catchUp: (subscription: Subscription) => void;
  /** Everything up to this version was written. */
  #written = 0;
  #isBehind = false;

  constructor(
    sink: EventSink,
    topics: readonly Topic[],
    rights: Rights,
    catchUp: (subscription: Subscription) => void,
  ) {
    this.#sink = sink;
    this.topics = topics;
    this.rights = rights;
    this.#catchUp = catchUp;
  }

  isUpTo(version: number): boolean {
    return !this.#isBehind && this.#written === version;
  }

  known(_topic: Topic): number {
    return this.#written;
  }

  take(topic: Topic, text: string | undefined, version: number): void {
    this.takeAll(text !== undefined && this.topics.includes(topic) ? text : '', version);
  }

  takeAll(text: string, version: number): void {
    this.#written = version;
    if (text !== '' && !this.#sink.write(text)) this.#isBehind = true;
  }

  /** The reader has read what was written: on with what came meanwhile. */
  resume(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#catchUp(this);
  }
}

function isEmpty({ put, set, drop }: TopicChange<Topic>): boolean {
  return put.length + set.length + drop.length === 0;
}

function messageOf<T extends Topic>(topic: T, { put, set, drop }: TopicChange<T>): StreamMessage {
  return {
    topic,
    ...(put.length === 0 ? {} : { put }),
    ...(set.length === 0 ? {} : { set }),
    ...(drop.length === 0 ? {} : { drop }),
  } as unknown as StreamMessage;
}
