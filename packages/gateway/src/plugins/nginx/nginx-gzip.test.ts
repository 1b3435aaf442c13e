import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { gzipStream } from './gzip-stream.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

test('pieces that are packed one by one are one gzip stream', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 8 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 9 }), (pieces, level) => {
      const stream = gzipStream(level);
      const packed = [...pieces.map((piece) => stream.data(Buffer.from(piece))), stream.end([])];
      expect(gunzipSync(Buffer.concat(packed))).toEqual(Buffer.concat(pieces));
    }),
    { numRuns: 30 },
  );
});

test('what came before helps with what comes next', () => {
  const stream = gzipStream(6);
  const random = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 251));
  const first = stream.data(random);
  expect(stream.data(random).length).toBeLessThan(first.length / 2);
});

describe('nginx-gzip', () => {
  const long = 'x'.repeat(500);
  test.each<[string, string, object, readonly [string | undefined, string | undefined]]>([
    ['gzip', long, {}, ['gzip', 'Accept-Encoding']],
    ['br, gzip;q=0.5', long, {}, ['gzip', 'Accept-Encoding']],
    ['gzip;q=0', long, {}, [undefined, 'Accept-Encoding']],
    ['', long, {}, [undefined, 'Accept-Encoding']],
    ['gzip', 'short', {}, [undefined, undefined]],
    ['gzip', long, { 'Content-Type': 'image/png' }, [undefined, undefined]],
    ['gzip', long, { 'Content-Encoding': 'br' }, ['br', undefined]],
  ])('for %j', async (accepted, body, headers, [encoding, vary]) => {
    const length = { 'Content-Length': String(body.length) };
    const port = await world.backend('a', () => ({ body, headers: { ...length, ...headers } }));
    await world.start(port, [
      { name: 'nginx-proxy', config: {} },
      { name: 'nginx-gzip', config: { types: ['text/plain'] } },
    ]);
    const asked = accepted === '' ? {} : { 'accept-encoding': accepted };
    const answer = await world.ask({ headers: { host: 'shop.test', ...asked } });
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([encoding, vary]);
  });
});
