import type { KubeObject } from '@waygate/schema';
import type { ObjectName } from '../../objects/object-id.ts';
import { DependencyIndex } from '../../store/dependency-index.ts';
import { ObjectStore, type ReadKey } from '../../store/object-store.ts';
import { TrackingReader } from '../../store/tracking-reader.ts';
import { type Unit, UnitTable } from './unit.ts';

/**
 * Where units are made: the objects that they are made from, what each looked at, and which are to be
 * made again. It knows nothing of what they are.
 */
export class Workshop {
  readonly store = new ObjectStore();
  readonly units = new UnitTable();
  readonly #dependencies = new DependencyIndex<Unit>();
  readonly #missing = new Map<ReadKey, ObjectName>();

  isRead(key: ReadKey): boolean {
    return this.#dependencies.isRead(key);
  }

  /** What was looked for and is fetched only when somebody asks for it; each is told once. */
  takeMissing(): readonly ObjectName[] {
    const missing = [...this.#missing.values()];
    this.#missing.clear();
    return missing;
  }

  soil(unit: Unit): void {
    this.units.soil(unit);
  }

  soilServices(names: Iterable<string>): void {
    for (const name of names) this.units.soil({ sort: 'service', key: name });
  }

  /** Something changed: whoever looked at it is to be made again. */
  touch(key: ReadKey): void {
    for (const unit of this.#dependencies.readersOf(key)) this.units.soil(unit);
  }

  /** There is nothing left to make it from. */
  remove(unit: Unit): void {
    this.#dependencies.remove(unit);
    this.units.forget(unit);
  }

  /** Makes a unit; every look-up is noted. */
  tracked<T>(unit: Unit, make: (reader: TrackingReader) => T): T {
    const reader = new TrackingReader(this.store);
    const result = make(reader);
    this.#dependencies.record(unit, reader.reads);
    for (const [key, name] of reader.misses) this.#missing.set(key, name);
    return result;
  }

  objectOf<T extends KubeObject>(object: ObjectName): T | undefined {
    return this.store.get<T>(object.kind, object.namespace, object.name);
  }
}
