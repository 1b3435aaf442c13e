// A stand-in for a service: says who it is, and what it was asked.
import { createServer } from 'node:http';

const name = process.argv[2] ?? 'backend';
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify({ service: name, method: request.method, path: request.url })}\n`);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
