import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../until.ts';
import { CrashServer, collection, send, token } from './crash.ts';

/** As many as a limit of 20,000 open files lets both ends have, with room to spare. */
const count = 9000;
const perWatchBytes = 48 * 1024;

test(`${count} idle watches hold little memory, and give it back`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'waygate-watches-'));
  const server = new CrashServer();
  const sockets: Socket[] = [];
  const agent = new Agent();
  try {
    const url = await server.serve(dataDir);
    const port = Number(new URL(url).port);
    const before = await residentBytes(server.processId);
    let opened = 0;
    let delivered = 0;
    const open = () => {
      const socket = connect(port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        if (chunk.includes('HTTP/1.1 200')) opened++;
        if (chunk.includes('"ADDED"')) delivered++;
      });
      const query = 'watch=true&resourceVersion=1&fieldSelector=metadata.name%3Dwanted';
      socket.write(
        `GET ${collection}?${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
    };
    // In waves: a backlog of connections is not what is looked at here.
    while (sockets.length < count) {
      for (let i = 0; i < 250; i++) open();
      await until('the watches are open', () => opened === sockets.length, { timeout: 60_000 });
    }
    const during = await residentBytes(server.processId);
    expect((during - before) / count).toBeLessThan(perWatchBytes);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wanted' } };
    expect((await send(agent, 'POST', `${url}${collection}`, body)).status).toBe(201);
    await until('all have heard', () => delivered === count, { timeout: 60_000 });
    for (const socket of sockets) socket.destroy();
    await until('the server is still well', async () => {
      const { status } = await send(agent, 'GET', `${url}${collection}/wanted`);
      return status === 200;
    });
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});

async function residentBytes(processId: number): Promise<number> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
