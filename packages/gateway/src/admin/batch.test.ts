import { AdminClient, KongError } from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Gateway } from '../gateway.ts';

let gateway: Gateway;
let url: string;
let proxy: string;
let client: AdminClient;

beforeEach(async () => {
  gateway = new Gateway({ mode: 'database', proxy: [{ host: '127.0.0.1', port: 0 }] });
  const {
    admin,
    proxy: [listener],
  } = await gateway.start();
  proxy = `http://127.0.0.1:${listener?.port}`;
  url = `http://127.0.0.1:${admin?.port}`;
  client = new AdminClient({ url, retries: 0 });
});

afterEach(async () => {
  await client.close();
  await gateway.stop();
});

async function post(body: unknown): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${url}/waygate/batches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

describe('many calls in one', () => {
  test('are done in order, each with its own answer', async () => {
    const service = { method: 'POST', path: '/services', body: { name: 'a', host: 'a.test' } };
    const { status, body } = await post({
      requests: [
        { ...service, brief: true },
        { method: 'PUT', path: '/services/a/routes/r?x=1', body: { paths: ['/r'] } },
        service,
        { method: 'POST', path: '/services', body: { name: 'b' } },
        { method: 'GET', path: '/services/a' },
        { method: 'DELETE', path: '/services/nobody' },
        { method: 'GET', path: '/nowhere' },
      ],
    });
    expect(status).toBe(200);
    const { answers } = body as { answers: { status: number; body?: { name?: string } }[] };
    expect(answers.map((one) => one.status)).toEqual([201, 200, 409, 400, 200, 204, 404]);
    expect(answers[0]).toEqual({ status: 201 });
    expect(answers[4]?.body?.name).toBe('a');
  });

  test.each([
    ['no object', []],
    ['no list', { requests: 'x' }],
  ])('are refused when they are %s', async (_, body) => {
    expect((await post(body)).status).toBe(400);
  });

  test.each([
    ['a batch', { method: 'POST', path: '/waygate/batches', body: { requests: [] } }],
    ['a whole configuration', { method: 'POST', path: '/config', body: {} }],
    ['an unknown method', { method: 'TRACE', path: '/services' }],
    ['no path', { method: 'GET' }],
    ['a body that is no object', { method: 'POST', path: '/services', body: [1] }],
    ['nothing', null],
  ])('may not have %s in them, and the next is done', async (_, one) => {
    const { body } = await post({ requests: [one, { method: 'GET', path: '/services' }] });
    const { answers } = body as { answers: { status: number }[] };
    expect(answers.map(({ status }) => status)).toEqual([400, 200]);
  });

  test('leave in force what the last of them says, however often one entity changed', async () => {
    const route = { paths: ['/here'], service: { name: 'a' } };
    const { body } = await post({
      requests: [
        { method: 'PUT', path: '/services/a', body: { host: 'a.test' } },
        { method: 'PUT', path: '/routes/r', body: { ...route, paths: ['/first'] } },
        { method: 'DELETE', path: '/routes/r' },
        { method: 'PUT', path: '/routes/r', body: route },
        { method: 'PATCH', path: '/routes/r', body: { paths: ['/last'] } },
        { method: 'PUT', path: '/routes/gone', body: { ...route, paths: ['/gone'] } },
        { method: 'DELETE', path: '/routes/gone' },
        { method: 'POST', path: '/plugins', body: { name: 'request-termination' } },
      ],
    });
    const { answers } = body as { answers: { status: number }[] };
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    const statuses = await Promise.all(
      ['/first', '/here', '/gone', '/last'].map(async (path) => (await fetch(proxy + path)).status),
    );
    expect(statuses).toEqual([404, 404, 404, 503]);
  });

  test('see what those before them made, balancers too', async () => {
    const { body } = await post({
      requests: [
        { method: 'PUT', path: '/upstreams/u', body: {} },
        { method: 'POST', path: '/upstreams/u/targets', body: { target: '127.0.0.1:1' } },
        { method: 'GET', path: '/upstreams/u/health' },
      ],
    });
    const { answers } = body as { answers: { body?: { data?: unknown[] } }[] };
    expect(answers[2]?.body?.data).toMatchObject([{ target: '127.0.0.1:1' }]);
  });

  test('are a thousand at most', async () => {
    const requests = Array.from({ length: 1_001 }, () => ({ method: 'GET', path: '/' }));
    expect((await post({ requests })).status).toBe(413);
  });
});

describe('a client that sends batches', () => {
  test('gives each write its own answer, and puts in order what was asked for in order', async () => {
    const batching = (await client.batching())!;
    const body = (index: number) => ({ name: `s${index}`, host: 'a.test' });
    const writes = Array.from({ length: 600 }, (_, index) =>
      batching.send('PUT', `services/s${index}`, { body: body(index), ignoresAnswer: true }),
    );
    const ended = await Promise.allSettled([
      batching.send('POST', 'services', { body: { name: 'x' } }),
      batching.send('POST', 'services', { body: body(601) }),
      ...writes,
    ]);
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(ended[0]).toMatchObject({ reason: { code: 'WG_KONG_HTTP', status: 400 } });
    expect(ended[1]).toMatchObject({ value: { name: 's601' } });
    let count = 0;
    for await (const page of client.pages('services')) count += page.length;
    expect(count).toBe(601);
  });

  test('sends none when it may not write any more by the time they leave', async () => {
    let mayWrite = true;
    const batching = (await client.fenced(() => mayWrite).batching())!;
    const writes = ['a', 'b'].map((name) =>
      batching.send('PUT', `services/${name}`, { body: { host: 'a.test' } }),
    );
    mayWrite = false;
    for (const end of await Promise.allSettled(writes))
      expect(end).toMatchObject({ reason: { code: 'WG_KONG_FENCED' } });
    expect(await client.send('GET', 'services')).toMatchObject({ data: [] });
  });

  test('fails each write when the gateway is gone', async () => {
    const batching = (await client.batching())!;
    await gateway.stop();
    const writes = ['a', 'b'].map((name) =>
      batching.send('PUT', `services/${name}`, { body: { host: 'a.test' } }),
    );
    for (const end of await Promise.allSettled(writes))
      expect(end).toMatchObject({ reason: expect.any(KongError) });
  });

  test('is not had for one that knows no batches', async () => {
    const elsewhere = new AdminClient({ url: `${url}/status`, retries: 0 });
    expect(await elsewhere.batching()).toBeUndefined();
    await elsewhere.close();
  });
});
