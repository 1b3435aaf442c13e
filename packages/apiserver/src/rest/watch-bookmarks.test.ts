import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

test('a watch on what never changes hears where it stands', async () => {
  await using server = await startTestServer({ bookmarkPeriodMs: 20 });
  const path = '/api/v1/namespaces/default/secrets?watch=true&allowWatchBookmarks=true';
  const list = await server.request('GET', '/api/v1/namespaces/default/secrets');
  const { resourceVersion } = (list.body as { metadata: { resourceVersion: string } }).metadata;
  const response = await fetch(`${server.url}${path}&resourceVersion=${resourceVersion}`, {
    headers: { Authorization: `Bearer ${server.adminToken}` },
  });
  await server.request('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'a' },
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  const versions = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map(
        (line) =>
          JSON.parse(line) as { type: string; object: { metadata: { resourceVersion: string } } },
      )
      .map(({ type, object }) => {
        expect(type).toBe('BOOKMARK');
        return Number(object.metadata.resourceVersion);
      });
  // Another kind was written, and still the place moves on, so that a resumed watch is not too old.
  while (!versions().some((each) => each > Number(resourceVersion))) {
    const { value, done } = await reader.read();
    expect(done).toBe(false);
    text += new TextDecoder().decode(value);
  }
  await server.request('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
  while (!text.includes('"ADDED"')) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
});
