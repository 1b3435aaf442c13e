import type { JsonObject } from '../entity/entities.ts';
import { entityKind } from '../entity/entity-kinds.ts';
import { KongError } from '../kong-error.ts';
import { referenceId } from '../store/entity-collection.ts';
import type { Operation } from '../sync/operation.ts';
import { type AdminClient, type RequestOptions, writableBody } from './admin-client.ts';

/** An id in a path; most are UUIDs and need nothing. */
function encodedId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : encodeURIComponent(id);
}

/** The path of an entity: under its parent for the kinds that are written there. */
function pathOf(operation: Operation): string {
  const kind = entityKind(operation.collection);
  const entity = operation.op === 'delete' ? operation.before : operation.after;
  const id = encodedId(operation.id);
  if (kind.parentField === undefined) return `${kind.path}/${id}`;
  const parent = kind.references.find((reference) => reference.field === kind.parentField);
  const parentPath = parent === undefined ? '' : entityKind(parent.collection).path;
  const parentId = encodedId(referenceId(entity?.[kind.parentField]) ?? '');
  return `${parentPath}/${parentId}/${kind.segment}/${id}`;
}

/** A target is created with `POST`, on every version of Kong. */
function writeTarget(
  client: AdminClient,
  operation: Operation,
  body: JsonObject,
  options: RequestOptions,
): Promise<unknown> {
  const path = pathOf(operation);
  const collection = path.slice(0, path.lastIndexOf('/'));
  const create = () => client.send('POST', collection, { ...options, body });
  return operation.op === 'update' ? patchTarget(client, path, create, body, options) : create();
}

/** An old Kong cannot change a target: it goes, and comes again. */
async function patchTarget(
  client: AdminClient,
  path: string,
  create: () => Promise<unknown>,
  body: JsonObject,
  options: RequestOptions,
): Promise<void> {
  try {
    await client.send('PATCH', path, { ...options, body });
  } catch (error) {
    const isOld = error instanceof KongError && (error.status === 404 || error.status === 405);
    if (!isOld) throw error;
    await client.send('DELETE', path, options);
    await create();
  }
}

/** Takes a consumer into a group, or out of it. */
async function writeMembership(
  client: AdminClient,
  { op, after, before }: Operation,
  options: RequestOptions,
): Promise<void> {
  const group = referenceId((after ?? before)?.consumer_group) ?? '';
  const consumer = referenceId((after ?? before)?.consumer) ?? '';
  const path = `consumer_groups/${encodedId(group)}/consumers`;
  if (op === 'delete') {
    await client.send('DELETE', `${path}/${encodedId(consumer)}`, options);
  } else await client.send('POST', path, { ...options, body: { consumer } });
}

/** Null for what is no longer there: a PATCH keeps what it does not name. */
function clearedFields({ changes, after }: Operation): JsonObject {
  const names = changes.map(({ path }) => path[0] as string);
  return Object.fromEntries(
    names.filter((name) => after?.[name] === undefined).map((name) => [name, null]),
  );
}

/** Does one operation on the server. */
export function writeOperation(
  client: AdminClient,
  operation: Operation,
  signal?: AbortSignal,
): Promise<unknown> {
  const options: RequestOptions = { ignoresAnswer: true, ...(signal && { signal }) };
  if (entityKind(operation.collection).isMembership === true) {
    return writeMembership(client, operation, options);
  }
  if (operation.op === 'delete') return client.send('DELETE', pathOf(operation), options);
  if (operation.isRelease === true) {
    const body = Object.fromEntries(
      operation.changes.map(({ path, after }) => [path[0] as string, after]),
    );
    return client.send('PATCH', pathOf(operation), { ...options, body });
  }
  const body = writableBody(operation.after ?? {});
  if (operation.collection === 'targets') return writeTarget(client, operation, body, options);
  // A PUT of a certificate takes away all SNIs that it does not name. They are entities of their own
  // here, with plans of their own: a PATCH leaves them alone, whoever made them and when.
  if (operation.collection === 'certificates' && operation.op === 'update') {
    const patch = { ...clearedFields(operation), ...body };
    return client.send('PATCH', pathOf(operation), { ...options, body: patch });
  }
  return client.send('PUT', pathOf(operation), { ...options, body });
}
