import type { KubeObject } from '@waygate/schema';
import { type KindId, kindIdOf } from '../../objects/kind-id.ts';
import { knativeClassAnnotation } from '../../objects/knative-ingress.ts';
import type { ObjectName } from '../../objects/object-id.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import { ObjectStore, type ReadKey } from '../../store/object-store.ts';
import { TrackingReader } from '../../store/tracking-reader.ts';
import type {
  ClusterTranslator,
  ObjectChange,
  TranslationChanges,
} from '../incremental/cluster-translator.ts';
import type { Snapshot } from '../incremental/snapshot.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { KongState } from '../kong-state.ts';
import type { ResolvedOptions } from '../options.ts';
import { isOfLegacyClass } from './legacy-annotations.ts';
import { legacyTranslate } from './legacy-translate.ts';

const withClass = ['Ingress', 'TCPIngress', 'KongConsumer'] as const satisfies readonly KindId[];

/**
 * Keeps a translation of the older scheme true. Its names depend on each other, so that everything
 * is made anew; but only when something changed that the last translation looked at.
 */
export class LegacyTranslator implements ClusterTranslator {
  readonly #options: ResolvedOptions;
  readonly #store = new ObjectStore();
  #reads: ReadonlySet<ReadKey> = new Set();
  readonly #missing = new Map<ReadKey, ObjectName>();
  #snapshot: Snapshot | undefined;
  #isChanged = false;

  constructor(options: ResolvedOptions) {
    this.#options = options;
  }

  get objects(): ObjectStore {
    return this.#store;
  }

  apply(changes: Iterable<ObjectChange>): void {
    for (const { type, object } of changes) {
      if (kindIdOf(object) === undefined) continue;
      const touched = type === 'put' ? this.#store.put(object) : this.#store.delete(object);
      if (touched.some((key) => this.#reads.has(key))) this.#snapshot = undefined;
    }
  }

  settle(): number {
    if (this.#snapshot !== undefined) return 0;
    const reader = new TrackingReader(this.#store);
    const { state, problems, faults } = legacyTranslate(reader, this.#options);
    this.#reads = new Set(reader.reads);
    for (const [key, name] of reader.misses) this.#missing.set(key, name);
    this.#snapshot = { state, problems, faults, translated: new Set(this.#ofOurClass()) };
    this.#isChanged = true;
    return 1;
  }

  takeChanges(): TranslationChanges {
    const isServicesOnly = !this.#isChanged;
    this.#isChanged = false;
    return { services: new Set(), isServicesOnly };
  }

  takeMissing(): readonly ObjectName[] {
    const missing = [...this.#missing.values()];
    this.#missing.clear();
    return missing;
  }

  isRead(key: ReadKey): boolean {
    return this.#reads.has(key);
  }

  /** The older scheme knows no owners beyond age. */
  setIncumbents(): void {}

  servicesNamed(): readonly ServiceResult[] {
    return [];
  }

  isHostShared(): boolean {
    return false;
  }

  snapshot(): Snapshot {
    this.settle();
    return this.#snapshot!;
  }

  /** The older scheme has nothing that is told in conditions. */
  isStale(): boolean {
    return false;
  }

  derived<Result>(_name: string, make: (reader: ObjectReader) => Result): Result {
    return make(this.#store);
  }

  state(): KongState {
    return this.snapshot().state;
  }

  /** In this scheme an object of the class counts as configured, whatever became of it. */
  *#ofOurClass(): Iterable<KubeObject> {
    const { ingressClass } = this.#options;
    for (const kind of withClass)
      for (const object of this.#store.values(kind))
        if (isOfLegacyClass(object, ingressClass)) yield object;
    for (const object of this.#store.values('KnativeIngress'))
      if (isOfLegacyClass(object, ingressClass, knativeClassAnnotation)) yield object;
  }
}
