import { once } from 'node:events';
import { createServer, request as requestHttp, type ServerResponse } from 'node:http';
import { connect } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';

const world = new PluginGateway();
const closers: (() => void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await world.stop();
});

const rate = (perSecond: number, free = 0) => ({
  name: 'response-rate',
  config: { bytes_per_second: perSecond, free_bytes: free },
});

const text = (length: number) => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);

async function start(body: string, ...plugins: object[]): Promise<void> {
  const headers = { 'Content-Length': String(body.length) };
  const port = await world.backend('a', () => ({ headers, body }));
  await world.start(port, plugins);
}

/** What an answer took at least, in milliseconds, and whether all of it came. */
async function timed(body: string, method = 'GET'): Promise<number> {
  const startedAt = performance.now();
  const answer = await world.ask({ method });
  expect(answer.body).toBe(method === 'HEAD' ? '' : body);
  expect(answer.headers['content-length']).toBe(String(body.length));
  return performance.now() - startedAt;
}

describe('the pace of an answer', () => {
  test.each([
    ['one that was short enough to be sent in one piece', 10_000, 12_500],
    ['one that streams', 200_000, 250_000],
  ])('%s takes its time, and comes whole', async (_name, perSecond, length) => {
    await start(text(length), rate(perSecond));
    // The first second's worth goes at once.
    expect(await timed(text(length))).toBeGreaterThanOrEqual(240);
  });

  test('what is free goes before, and HEAD has nothing to wait for', async () => {
    const body = text(60_000);
    await start(body, rate(1_000, 100_000));
    // At this rate alone it would take a minute.
    expect(await timed(body)).toBeLessThan(20_000);
    await timed(body, 'HEAD');
  });

  test('an answer of the gateway’s own is slowed down as well', async () => {
    const body = text(12_500);
    const port = await world.backend('a');
    const own = { name: 'request-termination', config: { status_code: 200, body } };
    await world.start(port, [rate(10_000), own]);
    expect(await timed(body)).toBeGreaterThanOrEqual(240);
  });

  test('over HTTP/2 each answer has its own', async () => {
    const body = text(12_500);
    await start(body, rate(10_000));
    const session = connect(`https://127.0.0.1:${world.securePort}`, { rejectUnauthorized: false });
    closers.push(() => session.destroy());
    const startedAt = performance.now();
    const bodies = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = session.request({ ':path': '/' });
        let got = '';
        for await (const chunk of stream) got += chunk;
        return got;
      }),
    );
    expect(new Set(bodies)).toEqual(new Set([body]));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(240);
  });

  test('many slow answers at once all come whole', async () => {
    const body = text(40_000);
    await start(body, rate(32_000));
    const answers = await Promise.all(Array.from({ length: 100 }, () => world.ask()));
    expect(answers.every((answer) => answer.body === body)).toBe(true);
  });
});

describe('what waits', () => {
  /** An upstream that sends without end, as much as it is let. */
  async function endless(): Promise<{ readonly port: number; sent: number; isClosed: boolean }> {
    const state = { port: 0, sent: 0, isClosed: false };
    const server = createServer((_request, reply: ServerResponse) => {
      reply.on('close', () => {
        state.isClosed = true;
      });
      const send = () => {
        while (!state.isClosed) {
          state.sent += 65_536;
          if (!reply.write(Buffer.alloc(65_536))) return;
        }
      };
      reply.on('drain', send);
      send();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => server.closeAllConnections());
    closers.push(() => void server.close());
    state.port = (server.address() as AddressInfo).port;
    return state;
  }

  test('stays with the upstream, which hears when the client goes', async () => {
    const upstream = await endless();
    await world.start(upstream.port, [rate(10_000)]);
    const asked = requestHttp({ host: '127.0.0.1', port: world.port, agent: false });
    asked.on('error', () => {});
    asked.end();
    const [answer] = await once(asked, 'response');
    let got = 0;
    answer.on('error', () => {});
    answer.on('data', (chunk: Buffer) => {
      got += chunk.length;
    });
    const startedAt = performance.now();
    await expect.poll(() => got, { timeout: 20_000 }).toBeGreaterThan(14_000);
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(got).toBeLessThan(10_000 * (seconds + 3));
    // The rest fills the kernel's buffers of two sockets at most, and none of ours.
    expect(upstream.sent).toBeLessThan(32 * 1_024 * 1_024);
    asked.destroy();
    await expect.poll(() => upstream.isClosed).toBe(true);
  });
});
