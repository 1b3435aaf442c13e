import { createHash } from 'node:crypto';
import { type Clock, TurnKeeper } from '@waygate/runtime';
import type { DeclarativeDocument } from '../translate/declarative-config.ts';

export interface SerializedConfig {
  readonly bytes: Buffer;
  readonly hash: string;
}

const comma = Buffer.from(',');

/**
 * Turns configurations into JSON. A change leaves nearly all entities as they were, the very same
 * objects, so the text of each is kept as long as the entity lives; and long lists are written in
 * turns, so that nothing else has to wait for them.
 */
export class ConfigText {
  readonly #turns: TurnKeeper;
  readonly #known = new WeakMap<object, Buffer>();

  constructor(clock: Clock) {
    this.#turns = TurnKeeper.of(clock);
  }

  async serialize(document: DeclarativeDocument): Promise<SerializedConfig> {
    const hash = createHash('sha256');
    const parts: Buffer[] = [];
    const add = (part: Buffer) => {
      parts.push(part);
      hash.update(part);
    };
    let opening = '{';
    for (const [name, value] of Object.entries(document)) {
      const isList = Array.isArray(value);
      add(Buffer.from(`${opening}${JSON.stringify(name)}:${isList ? '[' : JSON.stringify(value)}`));
      opening = ',';
      if (!isList) continue;
      for (const [index, entity] of value.entries()) {
        if (index > 0) add(comma);
        add(this.#textOf(entity));
        const turn = this.#turns.step();
        if (turn !== undefined) await turn;
      }
      add(Buffer.from(']'));
    }
    add(Buffer.from(opening === '{' ? '{}' : '}'));
    return { bytes: Buffer.concat(parts), hash: hash.digest('hex') };
  }

  #textOf(entity: unknown): Buffer {
    if (typeof entity !== 'object' || entity === null) return Buffer.from(JSON.stringify(entity));
    let text = this.#known.get(entity);
    if (text === undefined) {
      text = Buffer.from(JSON.stringify(entity));
      this.#known.set(entity, text);
    }
    return text;
  }
}
