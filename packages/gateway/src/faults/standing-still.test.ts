import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { FaultWorld, get } from '../testing/fault-gateway.ts';

// An upstream on a thread of its own: it answers while ours stands still.
const upstreamCode = `
const { parentPort } = require('node:worker_threads');
const server = require('node:http').createServer((request, response) => {
  parentPort.postMessage('asked');
  setTimeout(() => {
    response.writeHead(200, { 'content-length': 4 });
    response.write('on ');
    setTimeout(() => response.end('t'), 50);
  }, 50);
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const world = new FaultWorld();
let worker: Worker | undefined;
afterEach(async () => {
  await world.stop();
  await worker?.terminate();
});

test('an upstream that answered in time while the gateway stood still is not taken for silent', async () => {
  worker = new Worker(upstreamCode, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  await world.start([{ name: 'prompt', port, more: { read_timeout: 300, retries: 0 } }]);
  const answer = world.raw(get('/prompt'));
  await once(worker, 'message');
  standStill(600);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 .*on t$/s);
});

test('a target that took a probe while the gateway stood still stays healthy', async () => {
  worker = new Worker(upstreamCode, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  const active = {
    type: 'tcp',
    timeout: 0.2,
    healthy: { interval: 0.1, successes: 1 },
    unhealthy: { timeouts: 1 },
  };
  const upstream = { healthchecks: { active } };
  await world.start([{ name: 'probed', port, upstream, more: { retries: 0 } }]);
  for (let round = 0; round < 5; round += 1) {
    standStill(300);
    expect(await world.raw(get('/probed'))).toMatch(/^HTTP\/1\.1 200 .*on t$/s);
  }
});

/** As a long collection of garbage does it, or a machine without a core to spare. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
