import { isObject, type JsonObject, type JsonValue } from '@waygate/text';
import type { SoundObject } from './sound-object.ts';

/** A request that leaves nothing behind: writes are dry runs. */
export interface TriedRequest {
  /** What was changed where, for whoever reads of a difference. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

type Path = readonly (string | number)[];

const longText = 'x'.repeat(300);
/** What people write by mistake, by the type that was there. */
const mistakes: Readonly<Record<string, readonly JsonValue[]>> = {
  string: ['', 'Bad_Name!', 'other', longText, 7, null, ['a'], '-1', 'a/b', ' x'],
  number: [-1, 0, 70000, 1.5, 'text', null, 2 ** 31],
  boolean: [false, true, 'true', null],
  list: [[], {}, null, 'text', [null]],
  object: [{}, [], null, 'text', { unknown: 1 }],
};

const ways = ['create', 'update', 'merge', 'strategic', 'apply', 'json'] as const;

/**
 * So many requests, the same for the same seed: each takes a sound object, changes it in one place to something that
 * may be wrong, and creates, updates, patches or applies it.
 */
export function triedRequests(
  sound: readonly SoundObject[],
  seed: number,
  count: number,
): TriedRequest[] {
  const next = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
  return Array.from({ length: count }, () => {
    const { collection, object } = pick(sound);
    const path = pick(pathsOf(object));
    const before = valueAt(object, path);
    const [what, value] = pick(changesOf(before));
    const way = pick(ways);
    return requestOf(way, collection, object, path, what, value);
  });
}

function requestOf(
  way: (typeof ways)[number],
  collection: string,
  object: JsonObject,
  path: Path,
  what: string,
  value: JsonValue | undefined,
): TriedRequest {
  const changed = withValue(object, path, value) as JsonObject;
  const one = `${collection}/${String((object.metadata as JsonObject).name)}`;
  const name = `${way} ${String(object.kind)} ${path.join('.')}: ${what}`;
  const patch = (type: string, body: JsonValue, query = '') => ({
    name,
    method: 'PATCH',
    path: `${one}?dryRun=All${query}`,
    headers: { 'Content-Type': `application/${type}` },
    body,
  });
  const json = { 'Content-Type': 'application/json' };
  switch (way) {
    case 'create':
      return {
        name,
        method: 'POST',
        path: `${collection}?dryRun=All&fieldValidation=Strict`,
        headers: json,
        body: withName(changed, path),
      };
    case 'update':
      return { name, method: 'PUT', path: `${one}?dryRun=All`, headers: json, body: changed };
    case 'merge':
      return patch('merge-patch+json', smallest(changed, path, value ?? null));
    case 'strategic':
      return patch('strategic-merge-patch+json', smallest(changed, path, value ?? null));
    case 'apply':
      return patch('apply-patch+yaml', changed, '&fieldManager=other&force=true');
    case 'json': {
      const pointer = `/${path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
      const operation =
        value === undefined
          ? { op: 'remove', path: pointer }
          : { op: 'replace', path: pointer, value };
      return patch('json-patch+json', [operation]);
    }
  }
}

/** Another name than that of the object that is there, unless the name is what was changed. */
function withName(object: JsonObject, path: Path): JsonObject {
  if (path[0] !== 'metadata' || path.length < 2 || path[1] === 'name') {
    const metadata = object.metadata;
    if (!isObject(metadata) || typeof metadata.name !== 'string' || path[1] === 'name')
      return object;
    if (/[.]/.test(metadata.name)) return object;
    return { ...object, metadata: { ...metadata, name: `${metadata.name}-new` } } as JsonObject;
  }
  return object;
}

/** The change alone, as a merge patch; lists are whole. */
function smallest(changed: JsonObject, path: Path, value: JsonValue): JsonValue {
  const list = path.findIndex((part) => typeof part === 'number');
  const keys = list < 0 ? path : path.slice(0, list);
  const inner = list < 0 ? value : (valueAt(changed, keys) ?? null);
  return keys.reduceRight<JsonValue>((rest, key) => ({ [String(key)]: rest }), inner);
}

function changesOf(before: JsonValue | undefined): [string, JsonValue | undefined][] {
  const type = Array.isArray(before) ? 'list' : before === null ? 'object' : typeof before;
  const changes = (mistakes[type] ?? []).map((value): [string, JsonValue] => [
    value === longText ? '300 x' : JSON.stringify(value),
    value,
  ]);
  const more: [string, JsonValue | undefined][] = [['left out', undefined]];
  if (Array.isArray(before) && before.length > 0) {
    more.push(['first twice', [before[0] as JsonValue, ...before]]);
  }
  if (isObject(before)) {
    more.push(['one more field', { ...(before as JsonObject), unknownField: 'x' }]);
  }
  return [...more, ...changes];
}

function pathsOf(value: JsonValue, path: Path = []): Path[] {
  const own = path.length === 0 ? [] : [path];
  if (Array.isArray(value)) {
    return [...own, ...value.flatMap((item, index) => pathsOf(item, [...path, index]))];
  }
  if (!isObject(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, item]) => pathsOf(item as JsonValue, [...path, key])),
  ];
}

function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inner, key) => (inner as Record<string | number, JsonValue> | undefined)?.[key],
    value,
  );
}

function withValue(value: JsonValue, path: Path, changed: JsonValue | undefined): JsonValue {
  const [key, ...rest] = path;
  if (Array.isArray(value)) {
    const index = key as number;
    if (rest.length === 0 && changed === undefined) return value.filter((_, at) => at !== index);
    return value.map((item, at) =>
      at === index
        ? rest.length === 0
          ? (changed as JsonValue)
          : withValue(item, rest, changed)
        : item,
    );
  }
  const { [String(key)]: before, ...others } = value as JsonObject;
  if (rest.length === 0) {
    return changed === undefined ? others : { ...(value as JsonObject), [String(key)]: changed };
  }
  return { ...(value as JsonObject), [String(key)]: withValue(before as JsonValue, rest, changed) };
}

/** Numbers in [0, 1) that a seed decides. */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
