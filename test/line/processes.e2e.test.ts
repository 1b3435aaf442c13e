import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isListening, type Running, run, start, waygate, workspace } from '../real/processes.ts';

// The gateway of `waygate up` is a process of its own: what becomes of it when it, or its parent, dies.

const patience = { timeout: 30_000, interval: 50 };
let home: string;
let stack: Running;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-processes-'));
  stack = start(process.execPath, [waygate, 'up', join(workspace, 'examples', 'shop')], {
    TMPDIR: home,
  });
  await vi.waitFor(() => expect(stack.output()).toContain('What changes'), patience);
  await vi.waitFor(async () => expect(await ask()).toBe('200'), patience);
});

afterEach(async () => {
  await stack.stop('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

async function ask(): Promise<string> {
  const url = /curl (http:\S+)/.exec(stack.output())![1]!;
  const args = ['-s', '-m', '5', '-o', '/dev/null', '-w', '%{http_code}', url];
  return (await run('curl', args)).stdout;
}

/** The processes of the stack below the first, by what they run. */
function children(parent: number): Map<number, string> {
  const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = [...listed.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)];
  const own = rows.filter(([, , above]) => Number(above) === parent);
  return new Map(own.map(([, id, , args]) => [Number(id), args!]));
}

function gatewayOf(parent: number): number {
  const found = [...children(parent)].find(([, args]) => args.includes('gateway-process'));
  if (found === undefined) throw new Error('the gateway has no process');
  return found[0];
}

function isRunning(id: number): boolean {
  try {
    // A child whose parent is gone may wait to be collected; it runs no more.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('a gateway that dies is started again on its ports with its routes, and that is said', async () => {
  const before = gatewayOf(stack.process.pid!);
  process.kill(before, 'SIGKILL');
  await vi.waitFor(() => expect(stack.output()).toContain('the gateway runs again'), patience);
  expect(stack.output()).toContain('the gateway ended (SIGKILL); it is started again');
  expect(await ask()).toBe('200');
  expect(gatewayOf(stack.process.pid!)).not.toBe(before);
  // The second time is as the first.
  process.kill(gatewayOf(stack.process.pid!), 'SIGKILL');
  await vi.waitFor(
    () => expect(stack.output().match(/the gateway runs again/g)).toHaveLength(2),
    patience,
  );
  expect(await ask()).toBe('200');
  expect(await stack.stop('SIGTERM')).toBe(0);
});

test('a gateway that answers nothing any more is ended and started again', async () => {
  process.kill(gatewayOf(stack.process.pid!), 'SIGSTOP');
  await vi.waitFor(() => expect(stack.output()).toContain('answered nothing for a while'), {
    timeout: 60_000,
    interval: 200,
  });
  await vi.waitFor(async () => expect(await ask()).toBe('200'), patience);
});

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  '%s of the parent leaves no child',
  async (signal) => {
    const below = [...children(stack.process.pid!).keys()];
    expect(below.length).toBeGreaterThanOrEqual(2);
    const port = Number(/Gateway\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(stack.output())![1]);
    await stack.stop(signal);
    await vi.waitFor(() => expect(below.filter(isRunning)).toEqual([]), patience);
    // A process that is over for ps may have a thread that is not yet, and with it the port.
    await vi.waitFor(async () => expect(await isListening(port)).toBe(false), patience);
  },
);
