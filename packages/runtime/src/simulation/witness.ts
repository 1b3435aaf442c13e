import type { KubeObject } from '@waygate/schema';
import { type Deleted, DeletedFinalStateUnknown } from '../cache/deleted-final-state-unknown.ts';
import type { ResourceEventHandler } from '../cache/resource-event-handler.ts';
import type { FakeClock } from '../time/fake-clock.ts';
import type { SeededRandom } from './seeded-random.ts';

interface WitnessOptions {
  readonly name: string;
  readonly clock: FakeClock;
  readonly random: SeededRandom;
  readonly isSlow: boolean;
  readonly isFaulty: boolean;
  readonly onKey: (key: string) => void;
}

/**
 * A handler that holds what it is told against what may be told: an object is added once, changes
 * from the state that was told last, never goes back in time, and is deleted only while it is there.
 */
export class Witness implements ResourceEventHandler<KubeObject> {
  readonly violations: string[] = [];
  /** The world as this handler knows it: name to version. */
  readonly view = new Map<string, string>();
  readonly #options: WitnessOptions;
  #isBusy = false;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  onAdd(object: KubeObject): void | Promise<void> {
    const { name, resourceVersion } = object.metadata;
    if (this.view.has(name!)) this.#violate(`${name} was added twice`);
    this.view.set(name!, resourceVersion!);
    return this.#handled(name!);
  }

  onUpdate(oldObject: KubeObject, object: KubeObject): void | Promise<void> {
    const { name, resourceVersion } = object.metadata;
    const known = this.view.get(name!);
    if (known !== oldObject.metadata.resourceVersion)
      this.#violate(
        `${name} changed from ${oldObject.metadata.resourceVersion}, known was ${known}`,
      );
    if (Number(resourceVersion) < Number(known))
      this.#violate(`${name} went back from ${known} to ${resourceVersion}`);
    this.view.set(name!, resourceVersion!);
    return this.#handled(name!);
  }

  onDelete(deleted: Deleted<KubeObject>): void | Promise<void> {
    const name = deleted instanceof DeletedFinalStateUnknown ? deleted.key : deleted.metadata.name!;
    if (!this.view.delete(name)) this.#violate(`${name} was deleted and had not been there`);
    return this.#handled(name);
  }

  #handled(name: string): void | Promise<void> {
    const { random, isSlow, isFaulty, onKey } = this.#options;
    if (this.#isBusy) this.#violate('two calls at once');
    onKey(name);
    if (isFaulty && random.chance(0.05)) throw new Error('a handler that fails now and then');
    if (!isSlow) return undefined;
    this.#isBusy = true;
    return this.#options.clock.sleep(random.between(0, 2_000)).then(() => {
      this.#isBusy = false;
    });
  }

  #violate(what: string): void {
    this.violations.push(`${this.#options.name}: ${what}`);
  }
}
