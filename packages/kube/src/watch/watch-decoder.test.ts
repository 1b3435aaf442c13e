import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isConnectionReset } from '../error-predicate.ts';
import { decodeWatch, decodeWatchBytes } from './watch-decoder.ts';

async function* chunksOf(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const line = (name: string, type = 'ADDED') =>
  `${JSON.stringify({ type, object: { metadata: { name } } })}\n`;

describe('decodeWatch', () => {
  it('reads any chunks alike', async () => {
    const names = ['a', 'naïve-日本語-🚀', 'c'.repeat(300)];
    const bytes = Buffer.from(names.map((name) => line(name)).join('\r\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 })), async (sizes) => {
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const events = await collect(decodeWatch(chunksOf(...chunks, bytes.subarray(at))));
        expect(
          events.map(
            (event) => (event.object as never as { metadata: { name: string } }).metadata.name,
          ),
        ).toEqual(names);
      }),
    );
  });

  it.each([
    ['not json\n', /not JSON/],
    ['{"type":"ODD","object":{}}\n', /unknown type "ODD"/],
    ['{"type":"ADDED"}\n', /without an object/],
    ['[]\n', /no object/],
    [`${'x'.repeat(200)}\n`, /over 100 bytes/],
  ])('ends with an error at %j and skips nothing', async (bad, message) => {
    const events = await collect(
      decodeWatch(chunksOf(line('a'), bad, line('b')), { maxLineBytes: 100 }),
    );
    expect(events).toHaveLength(2);
    expect(events[1]).toMatchObject({
      type: 'ERROR',
      object: { code: 500, reason: 'InternalError' },
    });
    expect(events[1]).toHaveProperty('object.message', expect.stringMatching(message));
  });

  it('ends at an ERROR of the server', async () => {
    const expired = '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}\n';
    const events = await collect(decodeWatch(chunksOf(expired, line('b'))));
    expect(events).toEqual([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
  });

  it('throws when the stream breaks off in a line', async () => {
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of decodeWatch(chunksOf(line('a'), '{"type":"ADD'))) seen.push(event);
    })();
    await expect(reading).rejects.toSatisfy(isConnectionReset);
    expect(seen).toHaveLength(1);
  });

  it('takes a last line without a newline when it is whole', async () => {
    expect(await collect(decodeWatch(chunksOf(line('a').trim())))).toHaveLength(1);
  });

  it('cuts managedFields out when asked, also where the line is spelled otherwise', async () => {
    const metadata = { managedFields: [{ manager: 'm' }], name: 'a' };
    const usual = `${JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', metadata } })}\n`;
    const spelled = `${JSON.stringify({ object: { metadata }, type: 'MODIFIED' })}\n`;
    const events = await collect(
      decodeWatch(chunksOf(usual, spelled, 'broken\n'), { omitManagedFields: true }),
    );
    expect(events[0]).toEqual({ type: 'ADDED', object: { kind: 'Pod', metadata: { name: 'a' } } });
    expect(events[1]).toEqual({ type: 'MODIFIED', object: { metadata: { name: 'a' } } });
    expect(events[2]?.type).toBe('ERROR');
  });

  it('gives bytes on request, whatever the spelling', async () => {
    const spelled = '{ "object": {"metadata":{"name":"b"}}, "type": "DELETED" }\n';
    const events = await collect(decodeWatchBytes(chunksOf(line('a'), spelled, line('x', 'ODD'))));
    expect(
      events.map((event) => [event.type, 'bytes' in event ? event.bytes.toString() : '']),
    ).toEqual([
      ['ADDED', '{"metadata":{"name":"a"}}'],
      ['DELETED', '{"metadata":{"name":"b"}}'],
      ['ERROR', ''],
    ]);
  });
});
