import type { DynamicObject } from '@waygate/schema';
import type { Resource } from '../resources/resource.ts';
import type { Core } from '../server/core.ts';
import { ApiError, badRequest, expired, tooLargeResourceVersion } from '../status/api-error.ts';
import type { Entry } from '../storage/entry.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { type ListOptions, objectFilter } from './list-options.ts';

/** One page of a list, before it is written. */
export interface ListPage {
  readonly entries: readonly Entry[];
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
  const filter = objectFilter(options, resource);
  const start = await startingPoint(core, resource, namespace, options);
  const { resourceVersion } = start;
  const limit = options.resourceVersion === '0' ? 0 : Math.max(0, options.limit);
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const inRange =
    start.startKey === '' ? start.entries : after(start.entries, prefix + start.startKey);
  const single = singleName(options);
  const candidates =
    single === undefined ? inRange : inRange.filter((entry) => entry.name === single);
  const matches = readerOf(resource);
  const entries: Entry[] = [];
  let index = 0;
  for (; index < candidates.length; index++) {
    if (limit > 0 && entries.length >= limit) break;
    const entry = candidates[index] as Entry;
    if (filter === undefined || filter(matches(entry))) entries.push(entry);
  }
  const hasMore = limit > 0 && hasMatch(candidates, index, filter, matches);
  const last = entries.at(-1);
  return {
    entries,
    resourceVersion,
    continueToken:
      hasMore && last !== undefined
        ? encodeContinue({ resourceVersion, startKey: `${last.key.slice(prefix.length)}\u0000` })
        : '',
    remainingItemCount: hasMore && filter === undefined ? candidates.length - index : undefined,
  };
}

/** Selectors read the object in the version of the request. */
function readerOf(resource: Resource): (entry: Entry) => Readonly<DynamicObject> {
  const convert = resource.strategy.fromStorage;
  return convert === undefined ? (entry) => entry.object : (entry) => convert(entry.copy());
}

/** With a selector, the real server reads on in the store and offers a token if anything is left. */
function hasMatch(
  candidates: readonly Entry[],
  from: number,
  filter: ((object: Readonly<DynamicObject>) => boolean) | undefined,
  read: (entry: Entry) => Readonly<DynamicObject>,
): boolean {
  if (filter === undefined) return from < candidates.length;
  for (let i = from; i < candidates.length; i++) {
    if (filter(read(candidates[i] as Entry))) return true;
  }
  return false;
}

function singleName(options: ListOptions): string | undefined {
  return options.fields.find((term) => term.field === 'metadata.name' && term.isEqual)?.value;
}

interface StartingPoint {
  readonly entries: readonly Entry[];
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
    entries: collection.entries(namespace),
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
): readonly Entry[] | undefined {
  const { store } = core;
  const entries = store.history.snapshot(
    resource.collection,
    store.collection(resource.collection),
    version,
  );
  if (namespace === '') return entries;
  return entries?.filter((entry) => entry.namespace === namespace);
}

export function parseVersion(text: string): number {
  if (text === '') return 0;
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
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

function after(entries: readonly Entry[], startKey: string): Entry[] {
  return entries.filter((entry) => entry.key >= startKey);
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
