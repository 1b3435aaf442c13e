import { findSchema } from '@waygate/kong';
import type { AdminRequest, AdminResponse } from './admin-message.ts';
import { ok } from './admin-message.ts';
import { type Tagged, taggedCollections } from './certificate-endpoints.ts';
import type { Endpoint } from './endpoint-table.ts';
import type { EntityAccess } from './entity-access.ts';

interface TagRow {
  readonly entity_id: string;
  readonly entity_name: string;
  readonly tag: string;
}

/** A row with the place of its tag among those of its entity. */
interface PlacedRow {
  readonly row: TagRow;
  readonly place: number;
}

/** `/tags`: who is tagged with what. */
export function tagEndpoints(access: EntityAccess): Endpoint[] {
  return [
    {
      pattern: '/tags',
      methods: {
        GET: (request) => page(access, request, undefined),
        // Kong lists POST among the methods of this path, and refuses it.
        POST: () => ({ status: 405, body: { message: 'Method not allowed' } }),
      },
    },
    {
      pattern: '/tags/{tags}',
      methods: {
        GET: (request, parameters) => {
          const tag = parameters.tags ?? '';
          const problem = findSchema('tags')?.fields.get('tag')?.format?.(tag) ?? tagProblem(tag);
          return problem === undefined
            ? page(access, request, tag)
            : { status: 400, body: { code: 10, name: 'invalid unique tag', message: problem } };
        },
      },
    },
  ];
}

function tagProblem(tag: string): string | undefined {
  return /[,/]/.test(tag)
    ? `invalid tag '${tag}': expected printable ascii (except \`,\` and \`/\`) or valid utf-8 sequences`
    : undefined;
}

function page(access: EntityAccess, request: AdminRequest, tag: string | undefined): AdminResponse {
  const sizeText = request.query.get('size');
  const size = sizeText === null ? 100 : Number(sizeText);
  if (!Number.isInteger(size) || size < 1 || size > 1_000) {
    const isNumber = sizeText !== null && sizeText !== '' && !Number.isNaN(size);
    const text = isNumber ? 'size must be an integer between 1 and 1000' : 'size must be a number';
    return { status: 400, body: { code: 9, name: 'invalid size', message: text } };
  }
  const rows = allRows(access, tag);
  const after = decodeOffset(request.query.get('offset'));
  const start = after === undefined ? 0 : rows.findIndex((row) => compareToOffset(row, after) > 0);
  const from = start === -1 ? rows.length : start;
  const found = rows.slice(from, from + size);
  const data = found.map((item) => item.row);
  const last = found.at(-1);
  if (last === undefined || from + size >= rows.length) return ok({ data, next: null });
  const place = tag === undefined ? [last.row.entity_id, last.place] : [last.row.entity_id];
  const offset = Buffer.from(JSON.stringify(place)).toString('base64url');
  const query = new URLSearchParams({
    offset,
    ...(tag === undefined ? { size: String(size) } : {}),
  });
  return ok({ data, offset, next: `${request.path}?${query}` });
}

function allRows(access: EntityAccess, tag: string | undefined): PlacedRow[] {
  const rows: PlacedRow[] = [];
  for (const collection of taggedCollections) {
    for (const entity of access.store.all(collection) as Iterable<Tagged>) {
      for (const [place, own] of (entity.tags ?? []).entries()) {
        if (tag === undefined || own === tag) {
          rows.push({ row: { entity_id: entity.id, entity_name: collection, tag: own }, place });
        }
      }
    }
  }
  return rows.sort((a, b) =>
    a.row.entity_id === b.row.entity_id
      ? a.place - b.place
      : a.row.entity_id < b.row.entity_id
        ? -1
        : 1,
  );
}

interface Offset {
  readonly id: string;
  readonly place: number;
}

function compareToOffset({ row, place }: PlacedRow, offset: Offset): number {
  if (row.entity_id !== offset.id) return row.entity_id < offset.id ? -1 : 1;
  return place - offset.place;
}

function decodeOffset(offset: string | null): Offset | undefined {
  if (offset === null) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(offset, 'base64url').toString('utf8'));
    if (Array.isArray(value) && typeof value[0] === 'string') {
      return { id: value[0], place: Number(value[1] ?? Number.MAX_SAFE_INTEGER) };
    }
  } catch {
    return undefined;
  }
  return undefined;
}
