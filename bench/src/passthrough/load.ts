import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { clientHello } from './client-hello.ts';
import { hostOf } from './contestant.ts';

async function open(port: number, target: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(clientHello(hostOf(target)));
  return socket;
}

/** Bytes received over `streams` connections in `durationMs`. */
export async function receive(port: number, streams: number, durationMs: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: streams }, () => open(port, 'stream')));
  for (const socket of sockets) socket.resume();
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  const bytes = sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
  for (const socket of sockets) socket.destroy();
  return bytes;
}

/** Opens, greets and closes `total` connections, `parallel` at a time. */
export async function connectMany(port: number, total: number, parallel: number): Promise<void> {
  let left = total;
  const hello = clientHello(hostOf('goodbye'));
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('close', () => resolve());
      socket.write(hello);
      socket.resume();
    });
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await one();
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

/** Microseconds of a one-byte round trip, sorted. */
export async function roundTrips(
  port: number,
  count: number,
  target: string | undefined,
): Promise<number[]> {
  const socket =
    target === undefined
      ? connect({ port, host: '127.0.0.1', noDelay: true })
      : await open(port, target);
  if (target === undefined) await once(socket, 'connect');
  else await once(socket, 'data'); // the echo of the hello
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = process.hrtime.bigint();
    socket.write('x');
    await once(socket, 'data');
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  socket.destroy();
  return times.sort((a, b) => a - b);
}

/** Opens connections that are carried and then say nothing. */
export async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = await Promise.all(
      Array.from({ length: Math.min(200, count - sockets.length) }, () => open(port, 'echo')),
    );
    await Promise.all(batch.map((socket) => once(socket, 'data')));
    sockets.push(...batch);
  }
  return sockets;
}
