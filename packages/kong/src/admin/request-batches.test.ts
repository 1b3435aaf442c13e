import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ConnectionPool, RawRequest } from './connection-pool.ts';
import { batchPath, mostBatched, RequestBatches } from './request-batches.ts';
import type { RawAnswer } from './response-reader.ts';

type Done = (answer: RawAnswer | undefined, error: Error | undefined) => void;

function pool() {
  const sent: { request: RawRequest; done: Done }[] = [];
  const dispatch = (request: RawRequest, done: Done) => sent.push({ request, done });
  return { sent, pool: { dispatch } as unknown as ConnectionPool };
}

const request = (path: string, body?: string): RawRequest =>
  ({ method: 'PUT', path, ...(body !== undefined && { body }) }) as RawRequest;

test('one request leaves as it is', async () => {
  const { sent, pool: own } = pool();
  const batches = new RequestBatches(own);
  const answers: unknown[] = [];
  const only = request('/a');
  batches.dispatch(only, (...args) => answers.push(args));
  expect(sent).toEqual([]);
  await nextTurn();
  expect(sent.map((one) => one.request)).toEqual([only]);
  const answer = { status: 200 } as RawAnswer;
  sent[0]!.done(answer, undefined);
  expect(answers).toEqual([[answer, undefined]]);
});

test('requests of one moment leave together, and not when somebody else leads', async () => {
  const { sent, pool: own } = pool();
  let leads = true;
  const batches = new RequestBatches(own, () => leads);
  const failures: (Error | undefined)[] = [];
  for (const path of ['/a', '/b'])
    batches.dispatch(request(path), (_, error) => failures.push(error));
  await nextTurn();
  expect(sent.map((one) => `${one.request.method} ${one.request.path}`)).toEqual([
    `POST ${batchPath}`,
  ]);
  const lost = new Error('lost');
  sent[0]!.done(undefined, lost);
  expect(failures).toEqual([lost, lost]);
  leads = false;
  for (const path of ['/a', '/b'])
    batches.dispatch(request(path), (_, error) => failures.push(error));
  await nextTurn();
  expect(sent.length).toBe(1);
  expect(failures.slice(2).map(String)).toEqual([
    'KongError: 2 requests were not sent: this process does not lead any more',
    'KongError: 2 requests were not sent: this process does not lead any more',
  ]);
});

test('a batch that is full leaves at once', async () => {
  const { sent, pool: own } = pool();
  const batches = new RequestBatches(own);
  for (let index = 0; index < mostBatched - 1; index += 1)
    batches.dispatch(request('/a'), () => {});
  expect(sent.length).toBe(0);
  batches.dispatch(request('/a'), () => {});
  expect(sent.length).toBe(1);
  await nextTurn();
  expect(sent.length).toBe(1);
});

test('each request has its own answer, in order', async () => {
  const { sent, pool: own } = pool();
  const batches = new RequestBatches(own);
  const ask = async (answer: Partial<RawAnswer> & { text?: string }) => {
    const seen: unknown[] = [];
    batches.dispatch(request('/a"', '{"x":1}'), (one, error) => seen.push(one ?? String(error)));
    batches.dispatch({ ...request('/b'), ignoresAnswer: true } as RawRequest, (one, error) =>
      seen.push(one ?? String(error)),
    );
    await nextTurn();
    const { done } = sent.at(-1)!;
    done({ body: Buffer.from(answer.text ?? ''), ...answer } as RawAnswer, undefined);
    return seen;
  };
  const text = JSON.stringify({ answers: [{ status: 201, body: { id: 1 } }, {}] });
  expect(await ask({ status: 200, text })).toEqual([
    { status: 201, body: Buffer.from('{"id":1}'), retryAfter: undefined, keepsAlive: true },
    { status: 500, body: Buffer.alloc(0), retryAfter: undefined, keepsAlive: true },
  ]);
  expect(sent[0]!.request.body).toBe(
    '{"requests":[{"method":"PUT","path":"/a\\"","body":{"x":1}},{"method":"PUT","path":"/b","brief":true}]}',
  );
  const none = (status: number) =>
    `KongError: the answer to a batch is HTTP status ${status}, and none to its requests`;
  for (const answer of [
    { status: 404, text },
    { status: 200, text: 'x' },
    { status: 200, text: '{"answers":[{}]}' },
    { status: 200, text: '[]' },
    { status: 200, text: '{"answers":5}' },
  ])
    expect(await ask(answer)).toEqual([none(answer.status), none(answer.status)]);
});
