import type { StoredEntity } from '@waygate/kong';
import type { DynamicObject } from '@waygate/schema';
import type { ChangeKind, ObjectDiff } from '../protocol/changes.ts';
import type { ShownObject } from '../protocol/reference.ts';

/** What happened to one object, as far as it is known. */
export interface RecordedObject {
  readonly object: ShownObject;
  readonly action: ObjectDiff['action'];
  readonly before?: DynamicObject | undefined;
  readonly after?: DynamicObject | undefined;
}

/** What happened to one entity of the gateway. */
export interface RecordedEntity {
  readonly collection: 'routes' | 'services' | 'plugins' | 'upstreams' | 'targets';
  readonly name: string;
  /** The object that it was made from. */
  readonly object: ShownObject | undefined;
  readonly before: StoredEntity | undefined;
  readonly after: StoredEntity | undefined;
}

/** Something that happened. */
export interface Happening {
  readonly kind: ChangeKind;
  readonly at: number;
  /** Who did it, or whom it befell: a source, a Kustomization, any object. Absent: the gateway. */
  readonly subject?: ShownObject | undefined;
  readonly source?: ShownObject | undefined;
  readonly revision?: string | undefined;
  readonly objects?: readonly RecordedObject[];
  readonly entities?: readonly RecordedEntity[];
  readonly author?: string | undefined;
  readonly message?: string | undefined;
  /** Whether the message is what a commit says of itself. */
  readonly isCommit?: boolean;
}
