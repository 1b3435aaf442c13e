import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

/** By path: a spec, and all that a real API server says of it, each with its reason and its field. */
const recorded = JSON.parse(
  readFileSync(new URL('testdata/refusals.json', import.meta.url), 'utf8'),
) as Record<string, (readonly [spec: object, said: readonly string[]])[]>;

interface Refusal {
  readonly details?: {
    readonly causes?: readonly { reason: string; field: string; message: string }[];
  };
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

let made = 0;

describe.each(Object.entries(recorded))('%s', (path, rows) => {
  test.each(rows)('%#: %j', async (spec, said) => {
    const { status, body } = await server.request('POST', path, {
      metadata: { name: `x${made++}` },
      spec,
    });
    const { causes = [] } = (body as Refusal).details ?? {};
    const found = causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
    // Kubernetes goes through maps in no order of its own.
    expect(found.sort()).toEqual([...said].sort());
    expect(status).toBe(said.length === 0 ? 201 : 422);
  });
});
