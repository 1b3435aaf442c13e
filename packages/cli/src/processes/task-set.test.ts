import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import type { HostNotice, StartTask, Task, TaskState } from './task.ts';
import { TaskSet } from './task-set.ts';

// Real programs, ports and files.
let directory: string;
let notices: HostNotice[];
let set: TaskSet;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'waygate-tasks-'));
  notices = [];
  set = new TaskSet((notice) => notices.push(notice));
});

afterEach(async () => {
  await set.set([]);
  rmSync(directory, { recursive: true });
});

const server = `
  const { createServer } = require('node:http');
  createServer((request, response) => {
    if (request.url === '/crash') process.exit(7);
    response.end(process.env.WORD ?? 'none');
  }).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));`;

function start(more: Partial<StartTask> = {}, task: Partial<Task> = {}): Task {
  return {
    id: 'default/web',
    label: 'web',
    port: 0,
    revision: 'r',
    work: {
      kind: 'start',
      command: ['node', '-e', server],
      directory,
      env: {},
      restart: 'always',
      ready: { kind: 'tcp' },
      ...more,
    },
    ...task,
  };
}

function last(): TaskState | undefined {
  const states = notices.flatMap((each) => (each.type === 'state' ? [each.state] : []));
  return states.at(-1);
}

const news = (): string[] => notices.flatMap((each) => (each.type === 'news' ? [each.text] : []));
const lines = (): string[] => notices.flatMap((each) => (each.type === 'line' ? [each.text] : []));
const isReady = (): void => expect(last()?.isReady).toBe(true);
const ask = async (path = '/'): Promise<string> =>
  (await fetch(`http://127.0.0.1:${last()?.port}${path}`)).text();

test('a program runs with its environment, keeps its port over changes, and ends with its children', async () => {
  await set.set([start({ env: { WORD: 'one' } })]);
  await vi.waitFor(isReady, patience);
  const first = last()!;
  expect(await ask()).toBe('one');
  expect(lines()).toEqual(['listening']);
  // The same again changes nothing.
  await set.set([start({ env: { WORD: 'one' } })]);
  expect(last()?.processId).toBe(first.processId);
  await set.set([start({ env: { WORD: 'two' } })]);
  await vi.waitFor(isReady, patience);
  expect(await ask()).toBe('two');
  expect(last()).toMatchObject({ port: first.port, restarts: 1 });
  expect(news()).toEqual(['is started again: its settings have changed']);
  // Another revision is another Pod: its restarts are counted anew.
  await set.set([start({ env: { WORD: 'two' } }, { revision: 's' })]);
  await vi.waitFor(isReady, patience);
  expect(last()).toMatchObject({ restarts: 0, revision: 's' });
  expect(news().at(-1)).toBe('is started again: there is another Pod for it');
  await set.set([]);
  await expect(ask()).rejects.toThrow();
});

test('a program that crashes is started again, with its exit code told', async () => {
  await set.set([start()]);
  await vi.waitFor(isReady, patience);
  await ask('/crash').catch(() => undefined);
  await vi.waitFor(() => expect(last()?.restarts).toBe(1), patience);
  expect(news()).toEqual(['ended (exit code 7); it is started again in 1 s']);
  expect(last()?.lastEnd?.exitCode).toBe(7);
  await vi.waitFor(isReady, patience);
});

test.each([
  ['never', 3, 'Error', 'ended (exit code 3); it is not started again (restart: never)'],
  [
    'on-failure',
    0,
    'Completed',
    'ended (exit code 0); it is not started again (restart: on-failure)',
  ],
] as const)('restart: %s, exit code %i', async (restart, code, reason, text) => {
  await set.set([start({ command: ['node', '-e', `process.exit(${code})`], restart })]);
  await vi.waitFor(() => expect(last()).toMatchObject({ phase: 'ended', reason }), patience);
  expect(news()).toEqual([text]);
});

test('programs and directories that are not there are named', async () => {
  await set.set([start({ command: ['no-such-program-here'] })]);
  await vi.waitFor(() => expect(last()?.phase).toBe('waiting'), patience);
  expect(news()).toEqual(['there is no program no-such-program-here; tried again in 1 s']);
  await set.set([start({ directory: join(directory, 'nowhere') })]);
  await vi.waitFor(
    () => expect(last()?.message).toBe(`there is no directory ${join(directory, 'nowhere')}`),
    patience,
  );
});

test('a port that another program has is named, with the way out', async () => {
  const other = createTcp().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await set.set([start({}, { port })]);
  await vi.waitFor(() => expect(last()?.reason).toBe('PortTaken'), patience);
  expect(last()?.message).toBe(
    `port ${port} is taken by another program: end that one, or say attach: ${port}`,
  );
  other.close();
});

test('grandchildren go with the program, also when it ends by itself', async () => {
  const grandchild = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    console.log('child', child.pid);`;
  const ids = (): number[] => lines().map((line) => Number(line.split(' ')[1]));
  const isGone = (id: number): boolean => {
    const found = execFileSync('sh', ['-c', `ps -o stat= -p ${id} || true`], { encoding: 'utf8' });
    return found.trim() === '' || found.trim().startsWith('Z');
  };
  const endsItself = `${grandchild} setTimeout(() => process.exit(1), 100);`;
  await set.set([start({ command: ['node', '-e', endsItself], restart: 'never' })]);
  await vi.waitFor(() => expect(last()?.phase).toBe('ended'), patience);
  await vi.waitFor(() => expect(ids().every(isGone)).toBe(true), patience);
  await set.set([start({ command: ['node', '-e', grandchild], ready: { kind: 'none' } })]);
  await vi.waitFor(() => expect(ids()).toHaveLength(2), patience);
  await set.set([]);
  await vi.waitFor(() => expect(ids().every(isGone)).toBe(true), patience);
});

test('a path decides readiness, and says why not', async () => {
  const command = [
    'node',
    '-e',
    server.replace(
      'response.end',
      "response.statusCode = request.url === '/ok' ? 204 : 500; response.end",
    ),
  ];
  await set.set([start({ command, ready: { kind: 'http', path: '/no' } })]);
  await vi.waitFor(() => expect(last()?.message).toBe('GET /no was answered with 500'), patience);
  await set.set([start({ command, ready: { kind: 'http', path: '/ok' } })]);
  await vi.waitFor(isReady, patience);
});

test('what is attached is watched: it may come and go', async () => {
  const holder = createServer((_request, response) => response.end('x'));
  holder.listen(0, '127.0.0.1');
  await new Promise((resolve) => holder.once('listening', resolve));
  const { port } = holder.address() as AddressInfo;
  const task: Task = { ...start(), port, work: { kind: 'attach', host: '127.0.0.1' } };
  await set.set([task]);
  await vi.waitFor(isReady, patience);
  holder.close();
  await vi.waitFor(() => expect(last()?.isReady).toBe(false), patience);
  expect(news()).toEqual([`nothing listens on 127.0.0.1:${port}: start what serves it`]);
  holder.listen(port, '127.0.0.1');
  await vi.waitFor(isReady, patience);
  holder.close();
});

test('stubs echo, say what is written, or what was recorded', async () => {
  const stub = (answer: Extract<Task['work'], { kind: 'stub' }>['answer']): Task => ({
    ...start(),
    work: { kind: 'stub', answer },
  });
  await set.set([stub({ kind: 'echo' })]);
  expect(JSON.parse(await ask('/a?b=c'))).toMatchObject({ method: 'GET', url: '/a?b=c', body: '' });
  const { port } = last()!;
  await set.set([stub({ kind: 'fixed', status: 202, headers: { 'x-a': 'b' }, body: 'hi' })]);
  const fixed = await fetch(`http://127.0.0.1:${port}/`);
  expect([fixed.status, fixed.headers.get('x-a'), await fixed.text()]).toEqual([202, 'b', 'hi']);
  const file = join(directory, 'answers.har');
  const entry = (method: string, url: string, text: string, encoding?: string) => ({
    request: { method, url },
    response: {
      status: 200,
      headers: [
        { name: 'Content-Type', value: 'text/plain' },
        { name: 'Content-Length', value: '999' },
      ],
      content: { text, encoding },
    },
  });
  const entries = [
    entry('GET', 'https://example.com/rates?of=eur', 'one'),
    entry('POST', 'https://example.com/rates', Buffer.from('two').toString('base64'), 'base64'),
  ];
  writeFileSync(file, JSON.stringify({ log: { entries } }));
  await set.set([stub({ kind: 'recorded', file })]);
  expect(await ask('/rates?of=eur')).toBe('one');
  expect(
    await (await fetch(`http://127.0.0.1:${port}/rates`, { method: 'POST', body: 'x' })).text(),
  ).toBe('two');
  expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  expect(lines()).toContain('GET /other 404');
  writeFileSync(file, '{"log": {}}');
  await set.set([
    stub({ kind: 'recorded', file }),
    { ...start(), id: 'x', work: { kind: 'stub', answer: { kind: 'recorded', file } } },
  ]);
  expect(last()?.message).toBe(`the recording ${file} is no HAR file: log.entries`);
});
