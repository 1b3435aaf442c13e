import type {
  ItemChange,
  StreamMessage,
  Topic,
  TopicSnapshot,
  Topics,
} from '../../src/protocol/stream.ts';

/** What has to be known of a topic's past to resume a stream. */
interface Past {
  readonly version: number;
  readonly message: StreamMessage;
}

/** The state that a fixture server shows, with every change in order, so that streams can be resumed. */
export class World {
  readonly #topics: { [T in Topic]: Map<string, Topics[T]> } = {
    flow: new Map(),
    routes: new Map(),
    traffic: new Map(),
    changes: new Map(),
    problems: new Map(),
  };
  #version = 1;
  #past: Past[] = [];
  /** Versions up to this one are no longer known. */
  #forgotten = 1;
  readonly #followers = new Set<(past: Past) => void>();

  snapshot<T extends Topic>(topic: T): TopicSnapshot<T> {
    return { version: String(this.#version), items: [...this.#topics[topic].values()] };
  }

  put<T extends Topic>(topic: T, ...items: readonly Topics[T][]): void {
    for (const item of items) this.#topics[topic].set(item.id, item);
    this.#tell(topic, { put: items });
  }

  /** Tells other fields of an item that is there. */
  set<T extends Topic>(topic: T, change: ItemChange<Topics[T]>): void {
    const item = { ...this.#topics[topic].get(change.id), ...change } as Topics[T];
    this.#topics[topic].set(change.id, item);
    this.#tell(topic, { set: [change] });
  }

  drop(topic: Topic, ...ids: readonly string[]): void {
    for (const id of ids) this.#topics[topic].delete(id);
    this.#tell(topic, { drop: ids });
  }

  /** A server that has started anew: who resumes has to read again. */
  forgetPast(): void {
    this.#past = [];
    this.#forgotten = this.#version;
  }

  /** Everything of these topics after `since`, then what comes. The answer stops it. */
  follow(
    topics: readonly Topic[],
    since: string,
    send: (id: string, message: StreamMessage) => void,
  ): () => void {
    const from = Number(since);
    const tell = ({ version, message }: Past) => {
      if (version > from && topics.includes(message.topic)) send(String(version), message);
    };
    if (!(from >= this.#forgotten))
      for (const topic of topics) send(String(this.#version), { topic, reset: true });
    else for (const past of this.#past) tell(past);
    this.#followers.add(tell);
    return () => this.#followers.delete(tell);
  }

  get followerCount(): number {
    return this.#followers.size;
  }

  #tell(topic: Topic, change: object): void {
    this.#version++;
    const message = { topic, ...change } as StreamMessage;
    const past = { version: this.#version, message };
    this.#past.push(past);
    for (const follower of this.#followers) follower(past);
  }
}
