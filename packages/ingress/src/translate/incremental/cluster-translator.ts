import type { KubeObject } from '@waygate/schema';
import type { ObjectName } from '../../objects/object-id.ts';
import type { ObjectReader } from '../../store/object-reader.ts';
import type { ObjectStore, ReadKey } from '../../store/object-store.ts';
import type { ServiceResult } from '../kong-service.ts';
import type { KongState } from '../kong-state.ts';
import type { Snapshot } from './snapshot.ts';
import type { Incumbents } from './unique-claims.ts';

export interface ObjectChange {
  readonly type: 'put' | 'delete';
  readonly object: KubeObject;
}

/** Which parts of a configuration may have changed. */
export interface TranslationChanges {
  /** The names of Kong services that were remade. */
  readonly services: ReadonlySet<string>;
  /** Nothing beside services was remade, and nothing came to be at fault or was mended. */
  readonly isServicesOnly: boolean;
}

/** Keeps a translation true while the cluster changes. */
export interface ClusterTranslator {
  readonly objects: ObjectStore;
  /** Takes changes in; the work is done when the outcome is next asked for. */
  apply(changes: Iterable<ObjectChange>): void;
  /** Remakes what changed; returns how many parts that were. */
  settle(): number;
  /** What was remade since this was last asked. */
  takeChanges(): TranslationChanges;
  /** Says who has what in the gateways, which decides conflicts before age does. */
  setIncumbents(incumbents: Incumbents): void;
  /** Look-ups since this was last asked that found nothing, of kinds that are fetched on demand. */
  takeMissing(): readonly ObjectName[];
  /** Whether anything in the configuration follows from this look-up. */
  isRead(key: ReadKey): boolean;
  /** What the Kong services of a name are now; usually one, none when nothing claims the name. */
  servicesNamed(name: string): readonly ServiceResult[];
  /** Whether the upstream of this host serves more than one Kong service. */
  isHostShared(host: string): boolean;
  /** The configuration for the objects as they are now, with what is wrong in them. */
  snapshot(): Snapshot;
  /**
   * Something else that follows from the objects, by a name of its own: made when it is first asked
   * for, and again when something changed that it looked at.
   */
  derived<Result>(name: string, make: (reader: ObjectReader) => Result): Result;
  /** Whether that has to be made, for the first time or again. */
  isStale(name: string): boolean;
  /** The configuration alone; cheap while only services change. */
  state(): KongState;
}
