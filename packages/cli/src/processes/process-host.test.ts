import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProcessHost } from './process-host.ts';
import type { Task } from './task.ts';

const task: Task = {
  id: 'default/web',
  label: 'web',
  port: 0,
  lastPort: undefined,
  revision: '',
  work: { kind: 'attach', port: 1, ready: { kind: 'tcp' } } as unknown as Task['work'],
};

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'waygate-host-'));
  writeFileSync(join(home, 'damaged.mjs'), 'process.exit(3);\n');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each(['missing.mjs', 'damaged.mjs'])(
  'an owner of processes that cannot start (%s) is given up, and that is said once',
  async (name) => {
    const failures: string[] = [];
    const news: string[] = [];
    const host = new ProcessHost({
      env: { ...process.env, NODE_OPTIONS: '' },
      onState: () => undefined,
      onLine: () => undefined,
      onNews: (_, text) => news.push(text),
      onFailed: ({ message }) => failures.push(message),
      entry: pathToFileURL(join(home, name)),
    });
    host.set([task]);
    await expect.poll(() => failures.length, { timeout: 20_000 }).toBe(1);
    expect(failures[0]).toContain('is this installation whole?');
    expect(news).toEqual([]);
    // Another waygate.yaml does not begin it anew.
    host.set([{ ...task, revision: 'another' }]);
    expect(host.failure?.message).toBe(failures[0]);
    await host.stop();
    expect(failures).toHaveLength(1);
  },
);
