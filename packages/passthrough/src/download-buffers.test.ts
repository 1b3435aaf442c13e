import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import { Download } from './download.ts';
import { startBackend, type TestBackend } from './testing/sockets.ts';

const [small, large] = [16 * 1024, 256 * 1024];
let backend: TestBackend;
let sink: Socket;
let source: Socket;
let download: Download;

/** The sink is a client that reads all it gets; what comes is given to the download by hand. */
beforeEach(async () => {
  backend = await startBackend((socket) => socket.resume());
  const dialed = () => connect({ host: '127.0.0.1', port: backend.endpoint.port });
  [sink, source] = [dialed(), dialed()];
  await Promise.all([once(sink, 'connect'), once(source, 'connect')]);
  download = new Download();
  download.start(source, sink);
});
afterEach(async () => {
  sink.destroy();
  source.destroy();
  await backend.close();
});

const bufferBytes = () => (download.onread.buffer as () => Uint8Array)().length;
/** Reads so much, as the system would, and waits until all of it is sent. */
async function receive(bytes: number): Promise<void> {
  const buffer = (download.onread.buffer as () => Uint8Array)();
  download.onread.callback(bytes, buffer.fill(1));
  await vi.waitFor(() => expect(sink.writableLength).toBe(0), patience);
}

test.each([
  ['reads that do not fill the small buffer', [1, small - 1, 100], small],
  ['one that fills it', [1, small], large],
  ['some that are still a good part of the large one', [small, large, large / 8], large],
  ['one that is not', [small, large, large / 8 - 1], small],
  ['one that fills it again after that', [small, 1, small], large],
])('after %s the next goes into a buffer of its size: %#', async (_what, reads, expected) => {
  for (const bytes of reads) await receive(bytes);
  expect(bufferBytes()).toBe(expected);
});

test('the large buffer is given back with the connection, for the next one', async () => {
  await receive(small);
  const before = (download.onread.buffer as () => Uint8Array)();
  source.destroy();
  await once(source, 'close');
  const next = new Download();
  next.start(sink, sink);
  next.onread.callback(small, new Uint8Array(small));
  expect((next.onread.buffer as () => Uint8Array)()).toBe(before);
  expect(bufferBytes()).toBe(small);
});

test('nothing is read for a client that is gone', async () => {
  sink.destroy();
  expect(download.onread.callback(1, new Uint8Array(1))).toBe(false);
});
