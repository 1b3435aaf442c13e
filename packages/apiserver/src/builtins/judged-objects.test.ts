import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

/** An object, all that a kube-apiserver v1.36.1 said of it, and what it warned of. */
type Row = [object: Readonly<Record<string, unknown>>, said: string[], warned?: string[]];

interface Refusal {
  readonly message?: string;
  readonly details?: {
    readonly causes?: readonly { reason: string; field: string; message: string }[];
  };
}

const folder = new URL('testdata/judged/', import.meta.url);
const judged = readdirSync(folder).flatMap((file) =>
  Object.entries(
    JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Record<string, readonly Row[]>,
  ),
);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ controllers: [], allowsLoopbackEndpoints: false });
  await server.request('POST', '/api/v1/namespaces/default/serviceaccounts', {
    metadata: { name: 'default' },
  });
});
afterAll(() => server.stop());

function warningsOf(headers: Headers): string[] {
  return [...(headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = '']) => text.replace(/\\(.)/g, '$1'),
  );
}

describe.each(judged)('%s', (path, rows) => {
  test.each(rows)('%#: %j', async (object, said, warned = []) => {
    const metadata = { name: 'x', ...(object.metadata as object | undefined) };
    const answer = await fetch(`${server.url}${path}?dryRun=All`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${server.adminToken}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ ...object, metadata }),
    });
    const { status, headers } = answer;
    const { message, details } = (await answer.json()) as Refusal;
    const found = (details?.causes ?? []).map(
      (each) => `${each.reason} ${each.field}: ${each.message}`,
    );
    if (status !== 201 && found.length === 0) found.push(`${status} ${message}`);
    // Kubernetes goes through maps in no order of its own.
    expect({ said: found.sort(), warned: warningsOf(headers) }).toEqual({ said, warned });
    expect(status === 201).toBe(said.length === 0);
  });
});
