import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

type Cells = readonly unknown[];

/** Columns by name, type, format and priority; objects, their cells, and the status they get first. */
interface RecordedTable {
  readonly columns: readonly (readonly unknown[])[];
  readonly rows: readonly (readonly [object: RecordedObject, cells: Cells, status?: object])[];
}

interface RecordedObject {
  readonly metadata?: object;
}

interface Table {
  readonly columnDefinitions: readonly Readonly<Record<string, unknown>>[];
  readonly rows: readonly { readonly cells: Cells }[];
}

/** By path, from a kube-apiserver v1.36.1 that had no controllers either. */
const recorded = JSON.parse(
  readFileSync(new URL('testdata/tables.json', import.meta.url), 'utf8'),
) as Record<string, RecordedTable>;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'tables' } });
  await server.request('POST', '/api/v1/namespaces/tables/serviceaccounts', {
    metadata: { name: 'default' },
  });
});
afterAll(() => server.stop());

/** What is another one each time: how long ago, when, and which. */
function settled(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  return cell
    .replace(/^\d+(?:s|y\d+d)$/, 'AGE')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, 'UID')
    .replace(/^\d{4}-\d\d-\d\dT.*Z$/, 'TIME');
}

describe.each(Object.entries(recorded))('%s', (path, { columns, rows }) => {
  test.each(rows.map((row, index) => [index, ...row] as const))(
    'row %i: %j',
    async (index, object, cells, status) => {
      const name = `row-${index}`;
      await server.request('POST', path, { ...object, metadata: { ...object.metadata, name } });
      if (status !== undefined) {
        const merge = { 'Content-Type': 'application/merge-patch+json' };
        await server.request('PATCH', `${path}/${name}/status`, { status }, merge);
      }
      const { body } = await server.request(
        'GET',
        `${path}/${name}?includeObject=None`,
        undefined,
        {
          Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        },
      );
      const table = body as Table;
      expect({
        columns: table.columnDefinitions.map((each) => [
          each.name,
          each.type,
          each.format,
          each.priority,
        ]),
        rows: table.rows.map((row) => row.cells.map(settled)),
      }).toEqual({ columns, rows: [cells] });
    },
  );
});
