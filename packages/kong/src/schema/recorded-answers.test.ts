import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import { findEntityKind } from '../entity/entity-kinds.ts';
import { EntityStore } from '../store/entity-store.ts';

import { findSchema } from './schema-catalog.ts';
import { schemaViolation } from './schema-errors.ts';
import { validateEntity } from './validate-entity.ts';

// What a real Kong 3.9 with a database said to entities that are sound or broken in one place, asked of
// the schemas themselves: the conformance run asks the same of the gateway, over a socket.

interface Exchange {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: JsonObject };
}

const pack = new URL('../../../../conformance/cases/kong.ndjson.gz', import.meta.url);
const files = new Map(
  gunzipSync(readFileSync(fileURLToPath(pack)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as [string, string]),
);

function exchanges(kind: string, path: RegExp): readonly (Exchange & { readonly of: string })[] {
  return [...files]
    .filter(([name]) => name.startsWith(kind))
    .flatMap(([, text]) => JSON.parse(text) as Exchange[])
    .flatMap((exchange) => {
      const { method, body } = exchange.request;
      const [, of] = path.exec(exchange.request.path) ?? [];
      // A form is read by the Admin API, and a fault of Kong's own says nothing of the entity.
      const isAsked = method === 'POST' && typeof body === 'object' && body !== null;
      return isAsked && of !== undefined && exchange.response.status !== 500
        ? [{ ...exchange, of }]
        : [];
    });
}

/** What an answer says, but for what differs each time: ids, times and the order of its violations. */
function lasting(body: object): object {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (/^(id|created_at|updated_at|cert_digest)$/.test(name)) return [name, typeof value];
      return [name, name === 'message' ? violationsOf(String(value)) : value];
    }),
  );
}

/** A message, or the several that one lists. */
function violationsOf(message: string): readonly string[] {
  const [, count, list] = /^(\d+ schema violations) \((.*)\)$/s.exec(message) ?? [];
  return list === undefined ? [message] : [count ?? '', ...list.split('; ').sort()];
}

describe('what Kong says before an entity is written', () => {
  const asked = exchanges('pg-validate-', /^\/schemas\/([\w-]+)\/validate$/).filter(
    ({ of }) => findSchema(of) !== undefined,
  );

  test('is on record for hundreds of entities', () => {
    expect(asked.length).toBeGreaterThan(500);
  });

  test.each(asked)('$name', ({ of, request, response }) => {
    const { errors } = validateEntity(of, request.body as JsonObject, { database: 'postgres' });
    const said =
      errors === undefined ? { message: 'schema validation successful' } : schemaViolation(errors);
    expect(lasting(said)).toEqual(lasting(response.body));
  });
});

describe('what Kong answers when an entity is written', () => {
  const written = exchanges('pg-inputs-', /^\/([\w-]+)$/);

  test('is on record for hundreds of entities', () => {
    expect(written.length).toBeGreaterThan(400);
  });

  test.each(written)('$name', ({ of, request, response }) => {
    const kind = findEntityKind(of.replace('-', '_'));
    if (kind === undefined) throw new Error(`no kind ${of}`);
    const store = new EntityStore({ database: 'postgres' });
    const result = store.insert(kind.collection, request.body as JsonObject);
    const body = result.kind === 'written' ? result.entity : result.error.body;
    expect(lasting(body)).toEqual(lasting(response.body));
  });
});
