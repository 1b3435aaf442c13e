// A process with three TCP services behind the proxies: bytes as fast as they are taken, echo, and goodbye.
import { type AddressInfo, createServer, type Socket } from 'node:net';

const chunk = Buffer.alloc(256 * 1024);

const behaviours: Record<string, (socket: Socket) => void> = {
  stream: (socket) => {
    const fill = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.once('data', fill);
    socket.on('drain', fill);
  },
  echo: (socket) => {
    socket.on('data', (data) => socket.write(data));
  },
  goodbye: (socket) => {
    socket.once('data', () => socket.end('x'));
  },
};

const ports: Record<string, number> = {};
for (const [name, behave] of Object.entries(behaviours)) {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    behave(socket);
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () => {
    ports[name] = (server.address() as AddressInfo).port;
    if (Object.keys(ports).length === Object.keys(behaviours).length) process.send?.(ports);
  });
}
process.on('disconnect', () => process.exit(0));
