import type { Core } from '../core/core.ts';
import type { Resource } from '../resources/resource.ts';
import { prepareEntries } from '../resources/stored-object.ts';
import { ApiError, badRequest, expired, tooLargeResourceVersion } from '../status/api-error.ts';
import type { EntryList } from '../storage/entry-list.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { entryFilter, type ListOptions } from './list-options.ts';

/** One page of a list, before it is written. */
export interface ListPage {
  readonly entries: EntryList;
  readonly resourceVersion: number;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** How long a read at a version that is still to come waits for it. */
const futureWaitMs = 3000;

export async function listPage(
  core: Core,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<ListPage> {
  const filter = entryFilter(options, resource);
  const start = await startingPoint(core, resource, namespace, options);
  const { resourceVersion } = start;
  const limit = options.resourceVersion === '0' ? 0 : Math.max(0, options.limit);
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const inRange =
    start.startKey === ''
      ? start.entries
      : start.entries.between(prefix + start.startKey, undefined);
  // A look at fields other than names is one into the object, which a webhook may have to convert.
  if (options.fields.some((term) => !term.field.startsWith('metadata.'))) {
    await prepareEntries(resource, inRange);
  }
  const { found: entries, hasMore } =
    filter === undefined ? inRange.first(limit) : inRange.select(filter, limit);
  const last = entries.last();
  return {
    entries,
    resourceVersion,
    continueToken:
      hasMore && last !== undefined
        ? encodeContinue({ resourceVersion, startKey: `${last.key.slice(prefix.length)}\u0000` })
        : '',
    remainingItemCount:
      hasMore && filter === undefined ? inRange.length - entries.length : undefined,
  };
}

interface StartingPoint {
  readonly entries: EntryList;
  readonly resourceVersion: number;
  readonly startKey: string;
}

async function startingPoint(
  core: Core,
  resource: Resource,
  namespace: string,
  options: ListOptions,
): Promise<StartingPoint> {
  const collection = core.store.collection(resource.collection);
  const now = () => ({
    entries: collection.list(namespace),
    resourceVersion: core.store.resourceVersion,
    startKey: '',
  });
  if (options.continueToken !== '') {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeContinue(options.continueToken);
    if (token.resourceVersion < 0) return { ...now(), startKey: token.startKey };
    const entries = snapshot(core, resource, namespace, token.resourceVersion);
    if (entries === undefined) throw expiredContinue(token.startKey);
    return { entries, resourceVersion: token.resourceVersion, startKey: token.startKey };
  }
  const version = parseVersion(options.resourceVersion);
  if (version === 0) return now();
  await waitForVersion(core, version);
  const isExact =
    options.resourceVersionMatch === 'Exact' ||
    (options.resourceVersionMatch === '' && options.limit > 0);
  if (!isExact) return now();
  const entries = snapshot(core, resource, namespace, version);
  if (entries === undefined) throw expired('The resourceVersion for the provided list is too old.');
  return { entries, resourceVersion: version, startKey: '' };
}

function snapshot(
  core: Core,
  resource: Resource,
  namespace: string,
  version: number,
): EntryList | undefined {
  const { store } = core;
  const entries = store.history.snapshot(
    resource.collection,
    store.collection(resource.collection),
    version,
  );
  return entries?.inNamespace(namespace);
}

export function isVersion(text: string): boolean {
  return /^\d*$/.test(text);
}

/** What is said of a version that is no number. */
export function noVersion(text: string): string {
  const shown = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`;
}

export function parseVersion(text: string): number {
  if (!isVersion(text)) throw badRequest(`invalid resource version: ${noVersion(text)}`);
  return Number(text);
}

/** Waits a moment for a version that others may be about to write; then says that it is too large. */
export async function waitForVersion(core: Core, version: number): Promise<void> {
  if (version <= core.store.resourceVersion) return;
  const deadline = performance.now() + futureWaitMs;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (version <= core.store.resourceVersion) return;
  }
  throw tooLargeResourceVersion(version, core.store.resourceVersion);
}

function expiredContinue(startKey: string): ApiError {
  const error = new ApiError(
    410,
    'Expired',
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
  );
  Object.assign(error.status, {
    metadata: { continue: encodeContinue({ resourceVersion: -1, startKey }) },
  });
  return error;
}
