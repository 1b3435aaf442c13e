import type { Clock } from '@waygate/runtime';
import type { Rights } from '../view/guarded.ts';
import { patiently } from './api-patience.ts';
import type { KnownNeeds } from './known-needs.ts';
import type { Person } from './person.ts';
import { readRights } from './read-rights.ts';
import type { ResourceNames } from './resource-names.ts';

interface Remembered {
  readonly rights: Promise<Rights>;
  readonly atMs: number;
  /** How much there was to ask for then. */
  readonly asked: number;
}

/** Rights change seldom, and whoever lost one must not see for long. */
const freshMs = 15_000;
const mostRemembered = 1_000;
/** Somebody looks at an empty page meanwhile. */
const patienceMs = 5_000;

/** What people may see, as the API told it a moment ago. */
export class RightsCache {
  readonly #needs: KnownNeeds;
  readonly #names: ResourceNames;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();

  constructor(needs: KnownNeeds, names: ResourceNames, clock: Clock) {
    this.#needs = needs;
    this.#names = names;
    this.#clock = clock;
  }

  async of(person: Person): Promise<Rights> {
    const known = this.#remembered.get(person.key);
    const isFresh =
      known !== undefined &&
      known.asked === this.#needs.size &&
      this.#clock.monotonicMs() - known.atMs < freshMs;
    if (isFresh) return known.rights;
    const rights = this.#read(person);
    if (this.#remembered.size >= mostRemembered) this.#remembered.clear();
    const remembered = { rights, atMs: this.#clock.monotonicMs(), asked: this.#needs.size };
    this.#remembered.set(person.key, remembered);
    // An API that did not answer is asked again by the next one.
    rights.catch(() => {
      if (this.#remembered.get(person.key) === remembered) this.#remembered.delete(person.key);
    });
    return rights;
  }

  async #read({ client }: Person): Promise<Rights> {
    const needs = this.#needs.all();
    const kinds = new Set(needs.map((need) => need.slice(0, need.lastIndexOf('/'))));
    return patiently(this.#clock, patienceMs, async (signal) =>
      readRights(client, needs, await this.#names.plurals(kinds), signal),
    );
  }
}
