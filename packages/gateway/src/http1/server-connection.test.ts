import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import type { ConnectionFacts } from '../exchange/client-facts.ts';
import { ServerConnection } from './server-connection.ts';

let client: Socket;
let answered = '';
let served: ServerConnection;
const server = createServer();

beforeEach(async () => {
  answered = '';
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setEncoding('latin1').on('data', (text) => (answered += text));
  const [socket] = (await once(server, 'connection')) as [Socket];
  served = new ServerConnection(socket, { handle: () => undefined }, () => ({}) as ConnectionFacts);
});

afterEach(async () => {
  client.destroy();
  served.socket.destroy();
  server.close();
  await once(server, 'close');
});

async function send(text: string): Promise<number> {
  const before = served.socket.bytesRead;
  client.write(text);
  await vi.waitFor(() => expect(served.socket.bytesRead).toBe(before + text.length), patience);
  return performance.now();
}

describe('a client that is slow with its head', () => {
  test('has a minute for all of it, however often a piece comes', async () => {
    const firstPieceAt = await send('GET / HT');
    await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(firstPieceAt + 20), patience);
    await send('TP/1.1\r\n');
    served.checkTime(firstPieceAt + 59_000);
    expect(served.mayContinue).toBe(true);
    served.checkTime(firstPieceAt + 60_010);
    await vi.waitFor(
      () => expect(answered).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/),
      patience,
    );
  });
});
