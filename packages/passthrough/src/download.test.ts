import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { patience } from '../../../test/until.ts';
import { PassthroughProxy } from './proxy.ts';
import { buildHello } from './testing/build-hello.ts';
import { dial, startBackend, type TestBackend } from './testing/sockets.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const downloads = 6;
/** More than all sockets on the way can hold, so that the proxy has to wait in the middle of a buffer. */
const bytes = randomBytes(24 << 20);
/** Each download has bytes of its own at every place. */
const payloadOf = (index: number) => bytes.subarray(index * 1_000_003);

test('downloads that share buffers, to clients that do not read for a while, arrive whole', async () => {
  let accepted = 0;
  const backend = await startBackend((socket) => {
    const payload = payloadOf(accepted);
    // Small pieces, then as much as goes, then small ones again: the buffers change on the way.
    socket.write(`${accepted++}`);
    for (let at = 0; at < 20_000; at += 1_000) socket.write(payload.subarray(at, at + 1_000));
    socket.write(payload.subarray(20_000, -30), () => socket.end(payload.subarray(-30)));
  });
  cleanups.push(() => backend.close());
  const proxy = new PassthroughProxy({
    table: {
      hosts: [{ host: 'a.example.com', backend: { name: 'a', endpoints: [backend.endpoint] } }],
    },
  });
  const { port } = await proxy.start({ host: '127.0.0.1', port: 0 });
  cleanups.push(() => proxy.stop());
  const clients = await Promise.all(Array.from({ length: downloads }, () => dial(port)));
  for (const client of clients) {
    client.pause();
    client.write(buildHello({ serverName: 'a.example.com' }));
  }
  await backendsAreStuck(backend);
  await Promise.all(
    clients.map(async (client) => {
      const { index, digest } = await take(client);
      expect(digest).toBe(createHash('sha256').update(payloadOf(index)).digest('hex'));
      client.destroy();
    }),
  );
});

/** Resolves when all have something left to send, and none of them gets on. */
async function backendsAreStuck({ sockets }: TestBackend): Promise<void> {
  let before = '';
  await vi.waitFor(() => {
    const left = sockets.map((socket) => socket.writableLength).join();
    const isSame = left === before;
    before = left;
    expect(sockets.length === downloads && isSame).toBe(true);
  }, patience);
  expect(sockets.every((socket) => socket.writableLength > 0)).toBe(true);
}

async function take(socket: Socket): Promise<{ index: number; digest: string }> {
  const hash = createHash('sha256');
  let index = -1;
  socket.on('data', (chunk: Buffer) => {
    if (index >= 0) hash.update(chunk);
    else {
      index = Number(chunk.toString('latin1', 0, 1));
      hash.update(chunk.subarray(1));
    }
  });
  socket.resume();
  await once(socket, 'end');
  return { index, digest: hash.digest('hex') };
}
