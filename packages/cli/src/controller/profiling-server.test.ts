import { expect, onTestFinished, test } from 'vitest';
import { ProfilingServer } from './profiling-server.ts';

async function start(): Promise<string> {
  const server = new ProfilingServer({ host: '127.0.0.1', port: 0 });
  await server.listen();
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.port}`;
}

test('a profile of the CPU, one at a time', async () => {
  const url = await start();
  const first = fetch(`${url}/debug/cpu?seconds=0.5`);
  // The second comes while the first is under way, or right after it; it never spoils it.
  const second = await fetch(`${url}/debug/cpu?seconds=0.01`);
  expect([200, 503]).toContain(second.status);
  await second.arrayBuffer();
  const answer = await first;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    nodes: expect.any(Array),
    samples: expect.any(Array),
  });
});

test('what makes no sense is refused', async () => {
  const url = await start();
  for (const [path, code] of [
    ['/debug/cpu?seconds=1000', 400],
    ['/debug/cpu?seconds=x', 400],
    ['/debug/other', 404],
    ['/', 404],
  ] as const) {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.status]).toEqual([path, code]);
    await answer.arrayBuffer();
  }
});

test('it listens on loopback only', () => {
  expect(() => new ProfilingServer({ host: '::', port: 0 })).toThrow('loopback');
});
