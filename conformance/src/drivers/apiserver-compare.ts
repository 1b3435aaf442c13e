import { isObject } from '@waygate/text';
import { mask, maskText, sortKeys } from './apiserver-mask.ts';
import { compareSummary } from './apiserver-summary.ts';
import type {
  ActualResponse,
  RecordedExchange,
  RecordedResponse,
  WatchLine,
} from './apiserver-transcript.ts';

/** Headers that carry meaning for a client. Dates, hashes and framing differ by nature. */
const comparedHeaders = [
  'content-type',
  'cache-control',
  'warning',
  'retry-after',
  'x-content-type-options',
  'vary',
];

/** The first difference between what was recorded and what came back; undefined when there is none. */
export function difference(exchange: RecordedExchange, actual: ActualResponse): string | undefined {
  const recorded = exchange.response as RecordedResponse;
  if (actual.status !== recorded.status) {
    return `status ${actual.status} instead of ${recorded.status}: ${actual.text.slice(0, 400)}`;
  }
  const header = headerDifference(recorded, actual);
  if (header !== undefined) return header;
  const options = {
    sortsItems: isUnordered(exchange),
    requestBody: exchange.request?.body,
  };
  if (recorded.events !== undefined) return eventsDifference(recorded.events, actual.events);
  if (recorded.bodySummary !== undefined) return compareSummary(recorded.bodySummary, actual);
  if (recorded.bodyText !== undefined) {
    const [want, got] = [maskText(recorded.bodyText), maskText(actual.text)];
    if (stripVersions(want) === stripVersions(got)) return undefined;
    return `text ${JSON.stringify(got.slice(0, 600))} instead of ${JSON.stringify(want.slice(0, 600))}`;
  }
  if (recorded.body === undefined) return undefined;
  const [want, got] = [mask(recorded.body, options), mask(actual.body, options)];
  return isOpenApi(recorded.body)
    ? firstDifference(withoutProse(want), withoutProse(got), '')
    : firstDifference(want, got, '');
}

/** YAML carries resourceVersions as plain scalars. */
function stripVersions(text: string): string {
  return text.replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: <rv>');
}

/** A list from the watch cache has no defined order. */
function isUnordered(exchange: RecordedExchange): boolean {
  const query = new URLSearchParams(exchange.request?.path.split('?')[1] ?? '');
  const version = query.get('resourceVersion');
  return version !== null && query.get('resourceVersionMatch') !== 'Exact';
}

function headerDifference(recorded: RecordedResponse, actual: ActualResponse): string | undefined {
  const want = new Map(
    Object.entries(recorded.headers).map(([name, value]) => [name.toLowerCase(), listOf(value)]),
  );
  for (const name of comparedHeaders) {
    const expected = want.get(name) ?? [];
    const got = listOf(actual.headers[name]);
    if (expected.length === 0 && name !== 'warning' && name !== 'retry-after') continue;
    if (JSON.stringify(got) !== JSON.stringify(expected)) {
      return `header ${name} is ${JSON.stringify(got)} instead of ${JSON.stringify(expected)}`;
    }
  }
  return undefined;
}

function listOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  const values = typeof value === 'string' ? [value] : [...value];
  // One header with several values is the same as several headers.
  return values.flatMap((each) => (each.startsWith('299 ') ? [each] : each.split(/,\s*(?=[A-Z])/)));
}

function eventsDifference(
  recorded: readonly WatchLine[],
  actual: readonly WatchLine[],
): string | undefined {
  const want = normalEvents(recorded);
  const got = normalEvents(actual);
  if (want.length !== got.length) {
    return `${got.length} events (${got.map(eventName).join(' ')}) instead of ${want.length} (${want.map(eventName).join(' ')})`;
  }
  return firstDifference(want, got, 'events');
}

function eventName(event: unknown): string {
  const { type, object } = event as WatchLine;
  const metadata = object.metadata as { name?: string } | undefined;
  return `${type}:${metadata?.name ?? ''}`;
}

/** The first ADDED events have no order, and a bookmark may be sent once or twice. */
function normalEvents(events: readonly WatchLine[]): unknown[] {
  const masked = events.map((event) => mask(event, { sortsItems: false, requestBody: undefined }));
  const bookmarks = masked.filter(
    (event, index) =>
      (event as WatchLine).type !== 'BOOKMARK' ||
      (masked[index - 1] as WatchLine | undefined)?.type !== 'BOOKMARK',
  ) as WatchLine[];
  const firstOther = bookmarks.findIndex((event) => event.type !== 'ADDED');
  const head = firstOther < 0 ? bookmarks : bookmarks.slice(0, firstOther);
  const rest = firstOther < 0 ? [] : bookmarks.slice(firstOther);
  const key = (event: unknown) => JSON.stringify(sortKeys(event));
  const isTable = head.some((event) => event.object.kind === 'Table');
  return [...(isTable ? head : head.sort((a, b) => (key(a) < key(b) ? -1 : 1))), ...rest];
}

/** Where two JSON values part, as a path and both sides. */
export function firstDifference(want: unknown, got: unknown, path: string): string | undefined {
  if (Array.isArray(want) && Array.isArray(got)) {
    for (let i = 0; i < Math.max(want.length, got.length); i++) {
      const found = firstDifference(want[i], got[i], `${path}/${i}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isObject(want) && isObject(got)) {
    for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
      const found = firstDifference(want[key], got[key], `${path}/${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (Object.is(want, got)) return undefined;
  return `${path === '' ? '/' : path} is ${show(got)} instead of ${show(want)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 700);
}

function isOpenApi(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'openapi' in body && 'paths' in body;
}

/** Prose is left out on both sides: the facts that the server works from have none. */
export function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const rest: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (key === 'description' && typeof item === 'string') continue;
    rest[key] = withoutProse(item);
  }
  return rest;
}
