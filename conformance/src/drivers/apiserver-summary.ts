import { firstDifference, withoutProse } from './apiserver-compare.ts';
import { mask } from './apiserver-mask.ts';
import type { ActualResponse } from './apiserver-transcript.ts';

type Json = Record<string, unknown>;

/** Checks an answer against the recorder's summary of one that was too big to keep. */
export function compareSummary(
  summary: Readonly<Json>,
  actual: ActualResponse,
): string | undefined {
  const body = (actual.body ?? {}) as Json;
  for (const [key, want] of Object.entries(summary)) {
    const found = compareKey(key, want, body, actual);
    if (found !== undefined) return found;
  }
  return undefined;
}

function compareKey(
  key: string,
  want: unknown,
  body: Json,
  actual: ActualResponse,
): string | undefined {
  switch (key) {
    case 'status':
      return firstDifference(want, actual.status, 'status');
    case 'body':
      return compareSummary(want as Json, actual);
    case 'names':
      return firstDifference([...(want as string[])].sort(), namesOf(body).sort(), 'names');
    case 'items':
      return firstDifference(want, itemsOf(body).length, 'items');
    case 'dataKeys':
      return firstDifference(want, Object.keys((body.data ?? {}) as Json).sort(), 'dataKeys');
    case 'topLevelKeys':
      return firstDifference(
        [...(want as string[])].sort(),
        Object.keys(body).sort(),
        'topLevelKeys',
      );
    case 'pathsCount':
      return firstDifference(want, Object.keys((body.paths ?? {}) as Json).length, 'paths');
    case 'definitionsCount':
      return firstDifference(
        want,
        Object.keys((body.definitions ?? {}) as Json).length,
        'definitions',
      );
    case 'schemasCount':
      return firstDifference(want, Object.keys(schemasOf(body)).length, 'schemas');
    case 'pathsFirst':
      return firstDifference(
        want,
        Object.keys((body.paths ?? {}) as Json)
          .sort()
          .slice(0, (want as unknown[]).length),
        'paths',
      );
    case 'definitionsFirst':
      return firstDifference(
        want,
        Object.keys((body.definitions ?? {}) as Json)
          .sort()
          .slice(0, (want as unknown[]).length),
        'definitions',
      );
    case 'schemasFirst':
      return firstDifference(
        want,
        Object.keys(schemasOf(body))
          .sort()
          .slice(0, (want as unknown[]).length),
        'schemas',
      );
    case 'columnDefinitions':
      return firstDifference(withoutProse(want), withoutProse(body.columnDefinitions), '');
    case 'componentsSchemas':
      return firstDifference(want, Object.keys(schemasOf(body)).sort(), 'schemas');
    case 'sampleDefinition':
    case 'sampleSchema':
      return compareDefinitions(want as Json, {
        ...((body.definitions ?? {}) as Json),
        ...schemasOf(body),
      });
    case 'samplePath':
      return undefined;
    case 'firstLines':
      return firstDifference(
        want,
        actual.text.split('\n').slice(0, (want as unknown[]).length),
        'lines',
      );
    case 'first16Hex':
      return firstDifference(
        want,
        Buffer.from(actual.text, 'latin1').subarray(0, 16).toString('hex'),
        'bytes',
      );
    case 'bytes':
      // The documents are served without their prose, so their length says nothing.
      return undefined;
    case 'text':
      return compareText(String(want), actual);
    case 'location':
      return undefined;
    default:
      if (key.startsWith('row of ')) return compareRows(key.slice(7), want, body);
      return firstDifference(
        withoutProse(mask({ [key]: want }, { sortsItems: false, requestBody: undefined })),
        withoutProse(mask({ [key]: body[key] }, { sortsItems: false, requestBody: undefined })),
        '',
      );
  }
}

/** The rows of a table that speak of one object. */
function compareRows(name: string, want: unknown, body: Json): string | undefined {
  const rows = ((body.rows ?? []) as { cells: unknown[] }[]).filter((row) => row.cells[0] === name);
  const options = { sortsItems: false, requestBody: undefined };
  return firstDifference(
    mask({ kind: 'Table', rows: want }, options),
    mask({ kind: 'Table', rows }, options),
    '',
  );
}

function schemasOf(body: Json): Json {
  return ((body.components as Json | undefined)?.schemas ?? {}) as Json;
}

function itemsOf(body: Json): unknown[] {
  return (body.items ?? []) as unknown[];
}

function namesOf(body: Json): string[] {
  return itemsOf(body).map((item) => String(((item as Json).metadata as Json).name));
}

function compareText(want: string, actual: ActualResponse): string | undefined {
  try {
    return firstDifference(JSON.parse(want), actual.body, '');
  } catch {
    return firstDifference(want, actual.text, 'text');
  }
}

/** Prose is left out on both sides: the facts that the server works from have none. */
function compareDefinitions(want: Json, definitions: Json): string | undefined {
  for (const [name, definition] of Object.entries(want)) {
    const found = firstDifference(
      withoutProse(definition),
      withoutProse(definitions[name]),
      `/${name}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
