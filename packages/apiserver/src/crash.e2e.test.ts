import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The program itself is killed 200 times in test/apiserver; here it is the library.
const rounds = Number(process.env.WAYGATE_CRASH_ROUNDS ?? 12);
const writers = 16;
const path = '/api/v1/namespaces/default/configmaps';
const library = new URL('../dist/index.js', import.meta.url).href;

/** The server in a process of its own: the only way to kill it with -9. */
const program = `
const { ApiServer } = await import(${JSON.stringify(library)});
const server = await new ApiServer({ dataDir: process.env.DATA, insecure: true, adminToken: 'admin', log: () => undefined }).start();
process.stdout.write(server.url + '\\n');
`;

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waygate-crash-'));
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
}

async function start(): Promise<Running> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, DATA: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

const headers = { Authorization: 'Bearer admin', 'Content-Type': 'application/json' };

test(`nothing acknowledged is lost in ${rounds} kills under ${writers} writers`, async () => {
  /** What the server said yes to, by name: the newest value and its version. */
  const acknowledged = new Map<string, { value: number; version: number }>();
  /** Every version that the watch has seen, in order. */
  const watched: number[] = [];
  let resumeFrom = '';
  for (let round = 0; round < rounds; round++) {
    const { child, url } = await start();
    if (round > 0) await check(url, acknowledged);
    if (resumeFrom === '') resumeFrom = await listVersion(url);
    const stopWatch = new AbortController();
    const watch = follow(url, resumeFrom, stopWatch.signal, (version) => watched.push(version));
    let isKilled = false;
    const work = Array.from({ length: writers }, (_, index) =>
      write(url, `w${index}`, acknowledged, () => isKilled),
    );
    await new Promise((resolve) => setTimeout(resolve, 40 + Math.random() * 60));
    isKilled = true;
    child.kill('SIGKILL');
    await once(child, 'exit');
    await Promise.all(work);
    stopWatch.abort();
    await watch;
    const last = watched.at(-1);
    if (last !== undefined) resumeFrom = String(last);
  }
  const { child, url } = await start();
  await check(url, acknowledged);
  await catchUp(url, resumeFrom, watched, acknowledged);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(watched).toEqual([...watched].sort((a, b) => a - b));
  expect(new Set(watched).size).toBe(watched.length);
  for (const { version } of acknowledged.values()) expect(watched).toContain(version);
}, 600_000);

async function write(
  url: string,
  name: string,
  acknowledged: Map<string, { value: number; version: number }>,
  isOver: () => boolean,
): Promise<void> {
  let value = acknowledged.get(name)?.value ?? 0;
  while (!isOver()) {
    value++;
    const body = JSON.stringify({
      metadata: { name },
      data: { value: String(value), pad: 'x'.repeat(500) },
    });
    try {
      const isNew = !acknowledged.has(name);
      let response = await fetch(isNew ? `${url}${path}` : `${url}${path}/${name}`, {
        method: isNew ? 'POST' : 'PUT',
        headers,
        body,
      });
      if (response.status === 409)
        response = await fetch(`${url}${path}/${name}`, { method: 'PUT', headers, body });
      if (!response.ok) continue;
      const object = (await response.json()) as { metadata: { resourceVersion: string } };
      acknowledged.set(name, { value, version: Number(object.metadata.resourceVersion) });
    } catch {
      return;
    }
  }
}

/** Every acknowledged value is there, or a newer one whose answer was cut off; none is torn. */
async function check(
  url: string,
  acknowledged: Map<string, { value: number; version: number }>,
): Promise<void> {
  for (const [name, { value, version }] of acknowledged) {
    const response = await fetch(`${url}${path}/${name}`, { headers });
    expect(response.status).toBe(200);
    const object = (await response.json()) as {
      metadata: { resourceVersion: string };
      data: { value: string; pad: string };
    };
    expect(object.data.pad).toHaveLength(500);
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(version);
    expect(Number(object.data.value)).toBeGreaterThanOrEqual(value);
    acknowledged.set(name, {
      value: Number(object.data.value),
      version: Number(object.metadata.resourceVersion),
    });
  }
}

async function listVersion(url: string): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers });
  const list = (await response.json()) as { metadata: { resourceVersion: string } };
  return list.metadata.resourceVersion;
}

async function follow(
  url: string,
  from: string,
  signal: AbortSignal,
  onVersion: (version: number) => void,
): Promise<void> {
  try {
    const response = await fetch(`${url}${path}?watch=1&resourceVersion=${from}`, {
      headers,
      signal,
    });
    let rest = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      rest += Buffer.from(chunk).toString('utf8');
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const event = JSON.parse(rest.slice(0, end)) as {
          type: string;
          object: { metadata: { resourceVersion: string } };
        };
        rest = rest.slice(end + 1);
        expect(event.type).not.toBe('ERROR');
        onVersion(Number(event.object.metadata.resourceVersion));
      }
    }
  } catch (error) {
    // The kill of the server ends the stream in the middle.
    if ((error as Error).name === 'AssertionError') throw error;
  }
}

async function catchUp(
  url: string,
  from: string,
  watched: number[],
  acknowledged: Map<string, { value: number; version: number }>,
): Promise<void> {
  const wanted = Math.max(...[...acknowledged.values()].map(({ version }) => version));
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), 10_000);
  await follow(url, from, stop.signal, (version) => {
    watched.push(version);
    if (version >= wanted) stop.abort();
  });
  clearTimeout(timer);
}
