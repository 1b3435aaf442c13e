import type { DynamicObject } from '@waygate/schema';
import { apiVersionText, type Resource } from '../resources/resource.ts';
import type { Entry } from '../storage/entry.ts';

const brace = Buffer.from('{');

/**
 * The bytes of stored objects on the wire. Where the stored form is the served one (nearly
 * always), nothing is parsed: kind and version are put before the stored tail.
 */
export class Wire {
  readonly #resource: Resource;
  readonly #head: Buffer;
  readonly #needsConversion: boolean;

  constructor(resource: Resource) {
    this.#resource = resource;
    const kind = JSON.stringify(resource.kind);
    const version = JSON.stringify(apiVersionText(resource));
    this.#head = Buffer.from(
      resource.isCustom
        ? `{"apiVersion":${version},"kind":${kind},`
        : `{"kind":${kind},"apiVersion":${version},`,
    );
    this.#needsConversion = resource.strategy.fromStorage !== undefined;
  }

  /** The whole object. */
  object(entry: Entry): Buffer {
    return Buffer.concat([this.#head, this.#tail(entry)]);
  }

  /** The object as an item of a list: built-in kinds leave kind and version to the list. */
  itemParts(entry: Entry): [Buffer, Buffer] {
    return [this.#resource.isCustom ? this.#head : brace, this.#tail(entry)];
  }

  #tail(entry: Entry): Buffer {
    if (!this.#needsConversion) return entry.tail;
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...rest
    } = (this.#resource.strategy.fromStorage as (object: DynamicObject) => DynamicObject)(
      entry.copy(),
    );
    return Buffer.from(JSON.stringify(rest).slice(1));
  }
}

const wires = new WeakMap<Resource, Wire>();

export function wireOf(resource: Resource): Wire {
  let wire = wires.get(resource);
  if (wire === undefined) {
    wire = new Wire(resource);
    wires.set(resource, wire);
  }
  return wire;
}
