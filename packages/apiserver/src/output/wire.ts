import { encodeJson, oncePer } from '@waygate/text';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import { isServedAsStored, readEntry } from '../resources/stored-object.ts';
import type { Entry } from '../storage/entry.ts';
import type { SegmentRange } from '../storage/entry-list.ts';
import { renderedSegments, type Segment } from '../storage/segment.ts';

/** Longer runs are not copied into one: their objects are large, and handed over as they are. */
const longestJoin = 1024 * 1024;

/**
 * The bytes of stored objects on the wire. Where the stored form is the served one (nearly
 * always), nothing is parsed: kind and version are put before the stored tail.
 */
class Wire {
  readonly #resource: Resource;
  readonly #head: Buffer;
  /** Built-in kinds leave kind and version to the list. */
  readonly #itemStart: Buffer;

  constructor(resource: Resource) {
    this.#resource = resource;
    const kind = JSON.stringify(resource.kind);
    const version = JSON.stringify(apiVersionText(resource));
    this.#head = Buffer.from(
      resource.isCustom
        ? `{"apiVersion":${version},"kind":${kind},`
        : `{"kind":${kind},"apiVersion":${version},`,
    );
    this.#itemStart = resource.isCustom ? Buffer.concat([comma, this.#head]) : Buffer.from(',{');
  }

  /** The whole object. */
  object(entry: Entry): Buffer {
    return Buffer.concat([this.#head, this.#tail(entry)]);
  }

  /**
   * A run of items of a list, each with a comma before it, in as few buffers as there can be.
   * A whole segment is joined once, and kept while no write touches it.
   */
  items({ segment, from, to }: SegmentRange): Buffer[] {
    const parts = () => this.#parts(segment, from, to);
    if (segment.isPassing || from > 0 || to < segment.length) return joined(parts());
    if (segment.rendered?.by !== this && bytesOf(segment) > longestJoin) return parts();
    return [renderedSegments.of(segment, this, () => Buffer.concat(parts()))];
  }

  #parts(segment: Segment, from: number, to: number): Buffer[] {
    const parts: Buffer[] = [];
    for (let index = from; index < to; index++) {
      parts.push(this.#itemStart, this.#tail(segment.entries[index] as Entry));
    }
    return parts;
  }

  #tail(entry: Entry): Buffer {
    if (isServedAsStored(entry, this.#resource)) return entry.tail;
    return Buffer.from(encodeJson(readEntry(entry, this.#resource)).slice(1));
  }
}

const comma = Buffer.from(',');

function bytesOf(segment: Segment): number {
  return segment.entries.reduce((sum, entry) => sum + entry.tail.length, 0);
}

function joined(parts: Buffer[]): Buffer[] {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return size > longestJoin ? parts : [Buffer.concat(parts)];
}

export const wireOf = oncePer((resource: Resource) => new Wire(resource));
