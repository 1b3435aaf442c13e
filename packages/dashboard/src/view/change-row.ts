import { shortRevision } from '@waygate/text';
import type { ChangeRow } from '../protocol/changes.ts';
import type { Origin, ShownObject } from '../protocol/reference.ts';
import type { Cause } from './causes.ts';
import { commitOf } from './cluster-model.ts';
import { everything, needOf, type Rights } from './guarded.ts';
import type { Happening, RecordedEntity, RecordedObject } from './happening.ts';
import { objectKey, objectName } from './object-key.ts';

/** Of a row, so many objects are named; the detail has all. */
const mostNamed = 20;

/** Something that happened, with what is known of why. */
interface Explained {
  readonly happening: Happening;
  /** By the keys of entities' objects, what made them change. */
  readonly causes: ReadonlyMap<string, Cause>;
  /** Who wrote a commit. */
  readonly authorOf: (commit: string) => string | undefined;
}

/** What a person is shown of something that happened; undefined when none of it is theirs to know. */
export function changeRowFor(
  id: string,
  { happening, causes, authorOf }: Explained,
  rights: Rights,
): ChangeRow | undefined {
  const { kind, at, subject, source, revision } = happening;
  const allows = (object: ShownObject | undefined): boolean => rights.allows(needOf(object));
  const objects = (happening.objects ?? []).filter(({ object }) => allows(object));
  const entities = (happening.entities ?? []).filter(({ object }) => allows(object));
  const isOwn = subject === undefined ? rights.allows(everything) : allows(subject);
  if (!isOwn && objects.length === 0 && entities.length === 0) return undefined;
  const own = isOwn ? subject : undefined;
  const named = [...(own === undefined ? [] : [own]), ...objects.map(({ object }) => object)];
  for (const { object } of entities) if (object !== undefined) named.push(object);
  const unique = [...new Map(named.map((object) => [objectKey(object), object])).values()];
  const cause =
    own === undefined ? commonCause(entities, causes, allows) : { subject: own, source, revision };
  const origin = cause && originOf(cause, allows);
  const author =
    (isOwn ? happening.author : undefined) ??
    (origin?.commit === undefined ? undefined : authorOf(origin.commit));
  return {
    id,
    at,
    kind,
    title: titleOf(happening, own, objects, entities),
    namespaces: [...new Set(unique.map(({ namespace }) => namespace))].filter(
      (name) => name !== '',
    ),
    objects: unique.slice(0, mostNamed),
    ...(origin === undefined ? {} : { origin }),
    ...(author === undefined ? {} : { author }),
    hasDetail: objects.length + entities.length > 0 || (isOwn && happening.message !== undefined),
  };
}

/** What made all of these change; undefined when it was not one thing, or is not theirs to know. */
function commonCause(
  entities: readonly RecordedEntity[],
  causes: ReadonlyMap<string, Cause>,
  allows: (object: ShownObject | undefined) => boolean,
): Cause | undefined {
  let common: Cause | undefined;
  for (const { object } of entities) {
    const cause = object && causes.get(objectKey(object));
    if (cause?.subject === undefined || !allows(cause.subject)) continue;
    if (common !== undefined && common.revision !== cause.revision) return undefined;
    common ??= cause;
  }
  return common;
}

function originOf(
  {
    subject,
    source,
    revision,
  }: Omit<Cause, 'revision'> & { readonly revision: string | undefined },
  allows: (object: ShownObject | undefined) => boolean,
): Origin | undefined {
  if (subject === undefined) return undefined;
  const isApplier = subject.kind === 'Kustomization' || subject.kind === 'HelmRelease';
  const from = source !== undefined && allows(source) ? source : undefined;
  const commit = commitOf(revision);
  return {
    ...(isApplier ? { kustomization: subject } : {}),
    ...(isApplier ? (from === undefined ? {} : { source: from }) : { source: subject }),
    ...(revision === undefined ? {} : { revision }),
    ...(commit === undefined ? {} : { commit }),
  };
}

function titleOf(
  { kind, revision, message, isCommit }: Happening,
  subject: ShownObject | undefined,
  objects: readonly RecordedObject[],
  entities: readonly RecordedEntity[],
): string {
  const of = subject === undefined ? '' : ` of ${subject.name}`;
  // A revision is its source's to tell; a commit stands beside the title.
  const isTold =
    revision !== undefined && subject !== undefined && commitOf(revision) === undefined;
  const at = isTold ? ` at ${shortRevision(revision)}` : '';
  if (kind === 'fetch' && isCommit === true && subject !== undefined)
    return `${subject.name}: ${firstLine(message)}`;
  if (kind === 'fetch')
    return `${subject?.name ?? 'a source'} fetched ${shortRevision(revision ?? '')}`;
  const [only, another] = objects;
  if (kind === 'apply' && only !== undefined && another === undefined)
    return `${only.action} ${objectName(only.object)}${of}${at}`;
  if (kind === 'apply' && only !== undefined)
    return `applied ${counted(objects.length, 'object')}${of}${at}`;
  if (kind === 'apply') return `applied ${subject?.name ?? 'a Kustomization'}${at}`;
  if (kind === 'drift') return `brought ${counted(objects.length, 'object')}${of} back`;
  if (kind === 'sync')
    return `the gateway took ${counted(entities.length, 'change')}${whose(entities)}`;
  const said = firstLine(message ?? 'something went wrong');
  return subject === undefined ? said : `${objectName(subject)}: ${said}`;
}

/** The objects that changes of the gateway were made from, while they are few. */
function whose(entities: readonly RecordedEntity[]): string {
  const names = new Set<string>();
  for (const { object } of entities) if (object !== undefined) names.add(objectName(object));
  if (names.size === 0) return '';
  return names.size > 2 ? ` of ${names.size} objects` : ` of ${[...names].join(' and ')}`;
}

function firstLine(message = ''): string {
  return message.split('\n', 1)[0]!.slice(0, 200);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
