import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

/** By path: what was sent, what is answered with all that is filled in, and the cells of its row. */
type Row = readonly [sent: object, answered: object, cells: object];
const recorded = JSON.parse(
  readFileSync(new URL('testdata/defaults.json', import.meta.url), 'utf8'),
) as Record<string, Row[]>;

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Without what is drawn by lot, and times. */
function steady(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/kube-api-access-\w{5}/g, 'kube-api-access')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  return JSON.parse(text);
}

describe.each(Object.entries(recorded))('%s', (path, rows) => {
  test.each(rows.map((row, index) => [index, ...row] as const))(
    '%i: %j is filled in, and has its cells',
    async (index, sent, answered, cells) => {
      const send = (name: string, headers = {}) =>
        server.request('POST', path, { metadata: { name }, ...sent }, headers);
      const { body } = await send(`x${index}`);
      const {
        metadata,
        apiVersion: _version,
        kind: _kind,
        ...rest
      } = body as {
        metadata: { generation?: number };
        [field: string]: unknown;
      };
      const { generation } = metadata;
      expect(steady({ ...(generation !== undefined && { generation }), ...rest })).toEqual(
        answered,
      );
      const table = await send(`y${index}`, {
        Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      });
      const { columnDefinitions, rows: shown } = table.body as Table;
      const named = columnDefinitions.map(({ name }, at) => [name, shown[0]?.cells[at]] as const);
      const kept = named.filter(([name]) => name !== 'Name' && name !== 'Age');
      expect(steady(Object.fromEntries(kept))).toEqual(cells);
    },
  );
});
