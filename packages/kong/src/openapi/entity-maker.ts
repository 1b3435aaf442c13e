import { uuidV5 } from '@waygate/text';
import type { StateObject } from '../rewrite/state-document.ts';

/** The namespace of names of hosts (RFC 9562), under which decK makes its ids. */
const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** Gives entities what all of them have: ids that follow from names, and tags. */
export class EntityMaker {
  readonly tags: readonly string[];
  readonly #hasIds: boolean;

  constructor(tags: readonly string[], hasIds: boolean) {
    this.tags = tags;
    this.#hasIds = hasIds;
  }

  /** The same name gives the same id, so that a document that is converted again changes entities. */
  identify(entity: StateObject, name: string): void {
    if (this.#hasIds) entity.id = uuidV5(namespace, name);
  }

  /** A plugin has its id of what it is on. */
  identifyPlugin(plugin: StateObject, baseName: string): void {
    this.identify(plugin, `${baseName}.plugin.${String(plugin.name)}`);
  }
}
