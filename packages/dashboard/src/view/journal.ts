import { type CollectionName, maskEntity, type StoredEntity } from '@waygate/kong';
import type { DynamicObject } from '@waygate/schema';
import { printYaml, shortRevision } from '@waygate/text';
import type {
  ChangeDetail,
  ChangeKind,
  ChangeRow,
  EntityDiff,
  ObjectDiff,
} from '../protocol/changes.ts';
import type { Origin, ShownObject } from '../protocol/reference.ts';
import { commitOf } from './cluster-model.ts';
import { everything, type Guarded, type Need, needOf, type Rights } from './guarded.ts';
import { maskedConfig, maskedStates } from './masked-object.ts';
import { objectKey, objectName } from './object-key.ts';

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
}

interface Kept {
  readonly id: string;
  readonly happening: Happening;
  /** What it holds of objects and entities, to be let go of first. */
  readonly weight: number;
}

const mostRows = 2_000;
/** Objects and entities of which both states are kept. */
const mostStates = 5_000;
/** Of a row, so many objects are named; the detail has all. */
const mostNamed = 20;
const longestText = 64 * 1024;

/**
 * What happened lately, in order. The oldest is forgotten, its states before its row. Whoever looks sees
 * what befell objects that they may read, and is told nothing of the rest: not how much there was either.
 */
export class Journal {
  readonly #kept = new Map<string, Kept>();
  #next = 0;
  #states = 0;
  readonly #epochMs: number;

  constructor(epochMs: number) {
    this.#epochMs = epochMs;
  }

  /** Adds one; gives what is different now for those who follow. */
  add(happening: Happening): ReadonlyMap<string, Guarded<ChangeRow> | undefined> {
    this.#next += 1;
    // Grows with time, and over restarts too: the same width sorts as text.
    const id = `${this.#epochMs.toString(36)}-${this.#next.toString(36).padStart(6, '0')}`;
    const weight = (happening.objects?.length ?? 0) + (happening.entities?.length ?? 0);
    this.#kept.set(id, { id, happening, weight });
    this.#states += weight;
    const changes = new Map<string, Guarded<ChangeRow> | undefined>();
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= mostRows) break;
      this.#forget(oldest);
      changes.set(oldest, undefined);
    }
    this.#lighten(id);
    changes.set(id, this.#guarded(id, happening));
    return changes;
  }

  detail(id: string, rights: Rights): ChangeDetail | undefined {
    const kept = this.#kept.get(id);
    const change = kept && rowFor(id, kept.happening, rights);
    if (kept === undefined || change === undefined) return undefined;
    const { objects = [], entities = [], message, subject } = kept.happening;
    const isOwn = subject === undefined || rights.allows(needOf(subject));
    return {
      change,
      objects: objects.filter(({ object }) => rights.allows(needOf(object))).map(objectDiffOf),
      entities: entities.filter(({ object }) => rights.allows(needOf(object))).map(entityDiffOf),
      ...(message === undefined || !isOwn ? {} : { message }),
    };
  }

  /** All that a commit did, oldest first. */
  ofCommit(commit: string, rights: Rights): readonly ChangeDetail[] {
    return [...this.#kept.values()].flatMap(({ id, happening }) => {
      if (commitOf(happening.revision) !== commit) return [];
      return this.detail(id, rights) ?? [];
    });
  }

  /** What befell an object, newest first. */
  ofObject(object: ShownObject, rights: Rights, most = 50): readonly ChangeRow[] {
    const key = objectKey(object);
    const rows: ChangeRow[] = [];
    if (!rights.allows(needOf(object))) return rows;
    for (const { id, happening } of [...this.#kept.values()].reverse()) {
      const { subject, objects = [] } = happening;
      const isAbout =
        (subject !== undefined && objectKey(subject) === key) ||
        objects.some((each) => objectKey(each.object) === key);
      const row = isAbout ? rowFor(id, happening, rights) : undefined;
      if (row !== undefined) rows.push(row);
      if (rows.length === most) break;
    }
    return rows;
  }

  #guarded(id: string, happening: Happening): Guarded<ChangeRow> {
    const { subject, objects = [], entities = [] } = happening;
    const needs = new Set<Need>([
      ...(subject === undefined ? [] : [needOf(subject)]),
      ...objects.map(({ object }) => needOf(object)),
      ...entities.map(({ object }) => needOf(object)),
    ]);
    const item = rowFor(id, happening, { id: '', allows: () => true })!;
    return { item, needs: [...needs], shown: (rights) => rowFor(id, happening, rights) };
  }

  #forget(id: string): void {
    this.#states -= this.#kept.get(id)?.weight ?? 0;
    this.#kept.delete(id);
  }

  /** Lets go of the states of the oldest until what is left fits. */
  #lighten(newest: string): void {
    if (this.#states <= mostStates) return;
    for (const [id, kept] of this.#kept) {
      if (this.#states <= mostStates || id === newest) return;
      if (kept.weight === 0) continue;
      this.#states -= kept.weight;
      const objects = (kept.happening.objects ?? []).map(({ object, action }) => ({
        object,
        action,
      }));
      const happening = { ...kept.happening, objects, entities: [] };
      this.#kept.set(id, { id, happening, weight: 0 });
    }
  }
}

/** What a person is shown of something that happened; undefined when none of it is theirs to know. */
function rowFor(id: string, happening: Happening, rights: Rights): ChangeRow | undefined {
  const { kind, at, subject, source, revision, author } = happening;
  const allows = (object: ShownObject | undefined): boolean => rights.allows(needOf(object));
  const objects = (happening.objects ?? []).filter(({ object }) => allows(object));
  const entities = (happening.entities ?? []).filter(({ object }) => allows(object));
  const isOwn = subject === undefined ? rights.allows(everything) : allows(subject);
  if (!isOwn && objects.length === 0 && entities.length === 0) return undefined;
  const own = isOwn ? subject : undefined;
  const named = [...(own === undefined ? [] : [own]), ...objects.map(({ object }) => object)];
  for (const { object } of entities) if (object !== undefined) named.push(object);
  const unique = [...new Map(named.map((object) => [objectKey(object), object])).values()];
  const origin =
    own === undefined
      ? undefined
      : originOf(own, source && allows(source) ? source : undefined, revision);
  return {
    id,
    at,
    kind,
    title: titleOf(happening, own, objects.length, entities.length),
    namespaces: [...new Set(unique.map(({ namespace }) => namespace))].filter(
      (name) => name !== '',
    ),
    objects: unique.slice(0, mostNamed),
    ...(origin === undefined ? {} : { origin }),
    ...(author === undefined || !isOwn ? {} : { author }),
    hasDetail: objects.length + entities.length > 0 || (isOwn && happening.message !== undefined),
  };
}

function originOf(
  subject: ShownObject,
  source: ShownObject | undefined,
  revision: string | undefined,
): Origin | undefined {
  const isApplier = subject.kind === 'Kustomization' || subject.kind === 'HelmRelease';
  const commit = commitOf(revision);
  return {
    ...(isApplier ? { kustomization: subject } : {}),
    ...(isApplier ? (source === undefined ? {} : { source }) : { source: subject }),
    ...(revision === undefined ? {} : { revision }),
    ...(commit === undefined ? {} : { commit }),
  };
}

function titleOf(
  { kind, revision, message }: Happening,
  subject: ShownObject | undefined,
  objects: number,
  entities: number,
): string {
  const of = subject === undefined ? '' : ` of ${subject.name}`;
  // A revision is its source's to tell.
  const at =
    revision === undefined || subject === undefined ? '' : ` at ${shortRevision(revision)}`;
  if (kind === 'fetch')
    return `${subject?.name ?? 'a source'} fetched ${shortRevision(revision ?? '')}`;
  if (kind === 'apply' && objects > 0) return `applied ${counted(objects, 'object')}${of}${at}`;
  if (kind === 'apply') return `applied ${subject?.name ?? 'a Kustomization'}${at}`;
  if (kind === 'drift') return `brought ${counted(objects, 'object')}${of} back`;
  if (kind === 'sync') return `the gateway took ${counted(entities, 'change')}`;
  const said = (message ?? 'something went wrong').split('\n', 1)[0]!.slice(0, 200);
  return subject === undefined ? said : `${objectName(subject)}: ${said}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What a change did to an object, masked, as text. */
export function objectDiffOf({ object, action, before, after }: RecordedObject): ObjectDiff {
  const [old, now] = maskedStates(before, action === 'deleted' ? undefined : after);
  return { object, action, before: yamlOf(old), after: yamlOf(now) };
}

function yamlOf(object: DynamicObject | undefined): string {
  if (object === undefined) return '';
  const { status: _status, ...rest } = object as DynamicObject & { readonly status?: unknown };
  const {
    resourceVersion: _version,
    generation: _generation,
    uid: _uid,
    creationTimestamp: _time,
    ...metadata
  } = rest.metadata;
  return printYaml({ ...rest, metadata } as never).slice(0, longestText);
}

/** What a change did to an entity of a gateway, masked, as text. */
export function entityDiffOf({
  collection,
  name,
  before,
  after,
}: Pick<RecordedEntity, 'name' | 'before' | 'after'> & {
  readonly collection: CollectionName;
}): EntityDiff {
  const action = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated';
  const text = (entity: StoredEntity | undefined): string => {
    if (entity === undefined) return '';
    const { created_at: _created, updated_at: _updated, ...shown } = maskEntity(collection, entity);
    const config =
      collection === 'plugins' && shown.config !== undefined
        ? { config: maskedConfig(String(shown.name ?? ''), shown.config) }
        : {};
    return printYaml({ ...shown, ...config } as never).slice(0, longestText);
  };
  return { kind: collection, name, action, before: text(before), after: text(after) };
}
