import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { EntityStore, entityKinds, type JsonObject } from '@waygate/kong';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../run-in-process.ts';

/** Workspaces as Kong Enterprise has them: each with entities of its own, under its name. */
const workspaces = new Map<string, EntityStore>();
/** The header that the server wants, if any. */
let token: string | undefined;

function answer(
  method: string,
  url: URL,
  body: JsonObject,
): { readonly status: number; readonly body?: unknown } {
  const parts = url.pathname.split('/').slice(1);
  if (parts[0] === '') return { status: 200, body: { version: '3.9.1.0-enterprise-edition' } };
  if (parts[0] === 'workspaces') {
    if (method === 'POST') workspaces.set(String(body.name), new EntityStore());
    return { status: 200, body: { data: [...workspaces.keys()].map((name) => ({ name })) } };
  }
  const named = workspaces.get(parts[0] ?? '');
  const [path, id = ''] = named === undefined ? parts : parts.slice(1);
  const store = named ?? (workspaces.get('default') as EntityStore);
  const kind = entityKinds.find((candidate) => candidate.path === path);
  if (kind === undefined) return { status: 404, body: { message: 'Not found' } };
  if (method === 'DELETE') {
    store.delete(kind.collection, id);
    return { status: 204 };
  }
  if (method === 'GET') {
    const page = store.list(kind.collection, Object.fromEntries(url.searchParams));
    return { status: 200, body: page.kind === 'page' ? page.page : page.error.body };
  }
  const result = store.upsert(kind.collection, id, body);
  return result.kind === 'error'
    ? { status: result.error.status, body: result.error.body }
    : { status: 200, body: result.entity };
}

let server: Server;
let directory: string;
let address: string;

beforeEach(async () => {
  workspaces.clear();
  workspaces.set('default', new EntityStore());
  token = undefined;
  server = createServer(async (request, response) => {
    const input = await text(request);
    const isKnown = token === undefined || request.headers['kong-admin-token'] === token;
    const result = isKnown
      ? answer(
          request.method ?? '',
          new URL(request.url ?? '', 'http://kong'),
          input === '' ? {} : (JSON.parse(input) as JsonObject),
        )
      : { status: 401, body: { message: 'Unauthorized' } };
    response.writeHead(result.status);
    response.end(result.body === undefined ? '' : JSON.stringify(result.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  await writeFile(join(directory, 'kong.yaml'), file('shop'));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

function run(args: readonly string[], env: Record<string, string> = { DECK_KONG_ADDR: address }) {
  return runInProcess(['gateway', ...args], { cwd: directory, env });
}

function file(name: string, workspace?: string): string {
  const line = workspace === undefined ? '' : `_workspace: ${workspace}\n`;
  return `_format_version: "3.0"\n${line}services:\n- name: ${name}\n  host: ${name}.internal\n`;
}

describe('workspaces', () => {
  it('are made by a sync when they are missing, by flag or by file', async () => {
    expect((await run(['diff', '-w', 'team-a'])).stdout).toContain('creating workspace team-a');
    expect([...workspaces.keys()]).toEqual(['default']);
    expect(await run(['sync', '-w', 'team-a'])).toMatchObject({ exitCode: 0 });
    await writeFile(join(directory, 'b.yaml'), file('blog', 'team-b'));
    expect(await run(['sync', 'b.yaml'])).toMatchObject({ exitCode: 0 });
    expect(workspaces.get('team-a')?.get('services', 'shop')).toBeDefined();
    expect(workspaces.get('team-b')?.get('services', 'blog')).toBeDefined();
    expect((await run(['diff', 'b.yaml', '--non-zero-exit-code'])).exitCode).toBe(0);
    expect([...(workspaces.get('default') as EntityStore).all('services')]).toEqual([]);
  });

  it('are refused by a dump when they are missing, and not looked for when told so', async () => {
    expect((await run(['dump', '-w', 'nope'])).stderr).toContain("workspace 'nope' does not exist");
    const skipped = await run(['diff', '-w', 'nope', '--skip-workspace-crud']);
    expect(skipped.stderr).toContain('HTTP status 404');
  });

  it('are dumped to one file each, and reset together', async () => {
    await run(['sync']);
    await run(['sync', '-w', 'team-a']);
    expect(await run(['dump', '--all-workspaces'])).toMatchObject({ exitCode: 0 });
    expect((await readdir(directory)).sort()).toEqual(['default.yaml', 'kong.yaml', 'team-a.yaml']);
    const dumped = await readFile(join(directory, 'team-a.yaml'), 'utf8');
    expect(dumped).toContain('_workspace: team-a');
    expect(dumped).toContain('name: shop');
    const both = await run(['dump', '--all-workspaces', '-w', 'team-a']);
    expect(both).toMatchObject({ exitCode: 64 });
    expect((await run(['reset', '--all-workspaces', '--force'])).stdout).toContain('Deleted: 1');
    for (const store of workspaces.values()) expect([...store.all('services')]).toEqual([]);
  });

  it('cannot lead out of the directory', async () => {
    workspaces.set('../escape', new EntityStore());
    const { stderr, exitCode } = await run(['dump', '--all-workspaces']);
    expect(stderr).toContain("workspace '../escape' cannot be the name of a file");
    expect(exitCode).toBe(1);
  });
});

describe('options of the connection', () => {
  it('come from the command line, the environment, or a file, in this order', async () => {
    token = 'opaque';
    const settings = join(directory, '.deck.yaml');
    await writeFile(settings, `kong-addr: ${address}\nheaders: [kong-admin-token:wrong]\n`);
    expect((await run(['ping'], { HOME: directory })).stderr).toContain('401');
    const env = { HOME: directory, DECK_HEADERS: 'x-a:b,kong-admin-token:opaque' };
    expect((await run(['ping'], env)).stdout).toContain('Kong version:  3.9.0');
    const flag = ['ping', '--config', settings, '--kong-admin-token', 'opaque'];
    expect((await run(flag, {})).exitCode).toBe(0);
    expect((await run(['ping', '--config', 'nope.yaml'])).stderr).toContain(
      'cannot read nope.yaml',
    );
  });

  it('name requests on the error output, without what is in them', async () => {
    const { stderr } = await run(['sync', '--verbose', '1', '--kong-admin-token', 'opaque']);
    expect(stderr).toMatch(/GET \/services\?size=1000 200 \d+ ms/);
    expect(stderr).toMatch(/PUT \/services\/[0-9a-f-]+ 200/);
    expect(stderr).not.toContain('opaque');
  });
});

it('leaves out of a dump what Kong fills in', async () => {
  await run(['sync']);
  const { stdout } = await run(['dump', '--skip-defaults']);
  expect(stdout).toBe(
    file('shop').replace('- name: shop\n  host', '- host').replace(/$/, '  name: shop\n'),
  );
});

it('takes several tags in one value', async () => {
  await run(['sync', '--select-tag', 'a,b']);
  expect(workspaces.get('default')?.get('services', 'shop')?.tags).toEqual(['a', 'b']);
});
