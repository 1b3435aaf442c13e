import type { Clock } from '@waygate/runtime';
import type { Topic } from '../protocol/stream.ts';
import type { Hub } from '../stream/hub.ts';
import type { Rights } from '../view/guarded.ts';

/** As many items as are written in a few milliseconds. */
const atOnce = 500;

/** All of a topic as JSON, as it was when it was asked for; written in turns, so that nobody waits for it. */
export class Snapshots {
  readonly #hub: Hub;
  readonly #clock: Clock;
  /** The latest of each topic and rights: pages that open together get the same text. */
  readonly #latest = new Map<
    string,
    { readonly version: number; readonly text: Promise<string> }
  >();

  constructor(hub: Hub, clock: Clock) {
    this.#hub = hub;
    this.#clock = clock;
  }

  async text(topic: Topic, rights: Rights): Promise<string> {
    const { version } = this.#hub.feed(topic);
    const key = `${topic} ${rights.id}`;
    const known = this.#latest.get(key);
    if (known?.version === version) return known.text;
    const text = this.#write(topic, rights);
    const made = { version, text };
    this.#latest.set(key, made);
    // Kept while it is made, and not longer: it may be large, and is old soon.
    const forget = (): void => {
      if (this.#latest.get(key) === made) this.#latest.delete(key);
    };
    text.then(forget, forget);
    return text;
  }

  async #write(topic: Topic, rights: Rights): Promise<string> {
    const version = this.#hub.versionFor(rights);
    const items = this.#hub.feed(topic).shown(rights);
    const parts: string[] = [];
    for (let start = 0; start < items.length; start += atOnce) {
      if (start > 0) await this.#clock.yield();
      parts.push(JSON.stringify(items.slice(start, start + atOnce)).slice(1, -1));
    }
    return `{"version":${JSON.stringify(version)},"items":[${parts.join(',')}]}`;
  }
}
