import { createHash } from 'node:crypto';
import { type Clock, TurnKeeper } from '@waygate/runtime';
import type { DeclarativeDocument } from '../translate/declarative-config.ts';

interface SerializedConfig {
  readonly bytes: Buffer;
  readonly hash: string;
}

/** The JSON of entities that follow each other in a list, and a digest of each. */
interface Chunk {
  readonly entities: readonly unknown[];
  /** With commas between the entities, and none around. */
  readonly bytes: Buffer;
  readonly digests: Buffer;
}

const comma = Buffer.from(',');
/** A new chunk goes on up to the next known one; it is cut when it is long, and not when it is short. */
const chunkLength = { least: 16, most: 64 } as const;

/**
 * Turns configurations into JSON. A change leaves nearly all entities as they were, the very same
 * objects, so the text of neighbours is kept together as long as they live, and only the text around
 * a change is made anew; in turns, so that nothing else has to wait for a long list. The hash is one
 * of the digests of entities: only text that is new is read for it, and how it was cut does not show.
 */
export class ConfigText {
  readonly #turns: TurnKeeper;
  /** By their first entity. */
  readonly #chunks = new WeakMap<object, Chunk>();

  constructor(clock: Clock) {
    this.#turns = TurnKeeper.of(clock);
  }

  async serialize(document: DeclarativeDocument): Promise<SerializedConfig> {
    const hash = createHash('sha256');
    const parts: Buffer[] = [];
    const add = (text: string) => {
      const part = Buffer.from(text);
      parts.push(part);
      hash.update(part);
    };
    let opening = '{';
    for (const [name, value] of Object.entries(document)) {
      const isList = Array.isArray(value);
      add(`${opening}${JSON.stringify(name)}:${isList ? '[' : JSON.stringify(value)}`);
      opening = ',';
      if (!isList) continue;
      for (let index = 0; index < value.length; ) {
        const chunk = this.#chunkAt(value, index);
        if (index > 0) parts.push(comma);
        parts.push(chunk.bytes);
        hash.update(chunk.digests);
        index += chunk.entities.length;
        const turn = this.#turns.step();
        if (turn !== undefined) await turn;
      }
      add(']');
    }
    add(opening === '{' ? '{}' : '}');
    return { bytes: Buffer.concat(parts), hash: hash.digest('hex') };
  }

  #chunkAt(list: readonly unknown[], start: number): Chunk {
    const known = this.#known(list[start]);
    if (known?.entities.every((entity, index) => list[start + index] === entity)) return known;
    let end = start + 1;
    while (end < list.length && end - start < chunkLength.most) {
      if (end - start >= chunkLength.least && this.#known(list[end]) !== undefined) break;
      end += 1;
    }
    const chunk = chunkOf(list.slice(start, end));
    const first = list[start];
    if (typeof first === 'object' && first !== null) this.#chunks.set(first, chunk);
    return chunk;
  }

  #known(entity: unknown): Chunk | undefined {
    return typeof entity === 'object' && entity !== null ? this.#chunks.get(entity) : undefined;
  }
}

function chunkOf(entities: readonly unknown[]): Chunk {
  const texts = entities.map((entity) => JSON.stringify(entity));
  return {
    entities,
    bytes: Buffer.from(texts.join(',')),
    digests: Buffer.concat(texts.map((text) => createHash('sha256').update(text).digest())),
  };
}
