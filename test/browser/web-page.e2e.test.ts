import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from '@waygate/gateway';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { World } from '../hostile/world.ts';
import { hasProgram, type Running, start } from '../real/processes.ts';
import { EvilSite, type PageReport } from './evil-site.ts';
import { listeningPorts } from './listening-ports.ts';

// A page of another origin in a real browser, against every port that `waygate up` opens. Beside it, an
// Admin API that lets every page in: what the page does there shows that its attempts are real ones.

const paths = [
  '/',
  '/services',
  '/consumers',
  '/status',
  '/metrics',
  '/version',
  '/api/v1/secrets',
];

describe.skipIf(!hasProgram('chromium'))('a page of another origin', () => {
  let home: string;
  let world: World;
  let open: Gateway;
  let openPort: number;
  let site: EvilSite;
  let browser: Running;
  let ports: number[];
  let reports: readonly PageReport[];
  let before: { readonly entities: string; readonly objects: string };

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'waygate-page-'));
    const project = join(home, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'kustomization.yaml'), 'resources: [secret.yaml]\n');
    writeFileSync(
      join(project, 'secret.yaml'),
      'apiVersion: v1\nkind: Secret\nmetadata: {name: kept}\nstringData: {text: tell-nobody}\n',
    );
    world = await World.start([project, '--data-dir', join(home, 'state')]);
    await vi.waitFor(
      async () => {
        const { status } = await world.api('GET', '/api/v1/namespaces/default/secrets/kept');
        expect(status).toBe(200);
      },
      { timeout: 30_000 },
    );
    await admin('PUT', '/services/kept', { url: 'http://127.0.0.1:1' });
    open = new Gateway({
      mode: 'database',
      proxy: [],
      admin: { host: '127.0.0.1', port: 0, pages: 'any' },
    });
    openPort = (await open.start()).admin!.port;
    ports = listeningPorts(world.stack.process.pid!);
    before = await everything();
    reports = await attack();
  }, 240_000);

  afterAll(async () => {
    await browser?.stop('SIGKILL');
    await site?.stop();
    await open?.stop();
    await world?.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  async function attack(): Promise<readonly PageReport[]> {
    const isTraffic = (port: number) => gatewayPorts().includes(port);
    const reboundPorts = [...ports.filter((port) => !isTraffic(port)), openPort];
    const targets = [...ports, openPort].flatMap((port) =>
      ['http', 'https'].flatMap((scheme) => [
        `${scheme}://127.0.0.1:${port}`,
        `${scheme}://localhost:${port}`,
      ]),
    );
    site = new EvilSite({
      targets,
      paths,
      reboundPorts: reboundPorts.filter((port) => port !== world.apiPort),
    });
    const proxy = await site.start();
    browser = start('chromium', [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      // As if the user had clicked the warning away.
      '--ignore-certificate-errors',
      `--user-data-dir=${join(home, 'browser')}`,
      `--proxy-server=http://127.0.0.1:${proxy}`,
      'http://evil.example/',
    ]);
    const expected = 1 + reboundPorts.filter((port) => port !== world.apiPort).length;
    await vi.waitFor(() => expect(site.reports, browser.output()).toHaveLength(expected), {
      timeout: 180_000,
      interval: 200,
    });
    return site.reports;
  }

  function gatewayPorts(): number[] {
    const known = JSON.parse(readFileSync(join(home, 'state', 'ports.json'), 'utf8'));
    return [known.http, known.https];
  }

  async function admin(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${world.adminPort}${path}`, {
      method,
      headers: { 'kong-admin-token': world.adminToken, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return response.text();
  }

  async function everything(): Promise<{ entities: string; objects: string }> {
    const collections = ['/services', '/routes', '/consumers', '/plugins', '/upstreams'];
    const entities = await Promise.all(collections.map((path) => admin('GET', path)));
    const lists = ['/api/v1/namespaces', '/api/v1/secrets', '/api/v1/configmaps'];
    const objects = await Promise.all(lists.map((path) => world.api('GET', path)));
    const withoutVersion = objects.map(({ text }) => JSON.stringify(JSON.parse(text).items));
    return { entities: entities.join('\n'), objects: withoutVersion.join('\n') };
  }

  /** Attempts that brought something, against a port of the stack or not. */
  function successes(port: number): string[] {
    const isThere = (what: string, from: string) => (what + from).includes(`:${port}`);
    return reports.flatMap(({ from, found }) =>
      found
        .filter(({ what, outcome }) => isThere(what, from) && /^(?:read|open)/.test(outcome))
        .map(({ what, outcome }) => `${from}: ${what}: ${outcome}`),
    );
  }

  test('tries what would work where pages are let in', () => {
    const found = successes(openPort).join('\n');
    expect(found).toMatch(/evil\.example: fetch \/services http:\/\/127\.0\.0\.1.*read 200/);
    expect(found).toMatch(/rebound\.example:\d+: fetch \/services .*read 200/);
    expect(open.store.findBy('services', 'name', 'planted-by-a-page')).toBeDefined();
  });

  test('knocks at every port: API, Admin API, artifacts, HTTP and HTTPS', () => {
    expect(ports).toEqual(
      expect.arrayContaining([world.apiPort, world.adminPort, ...gatewayPorts()]),
    );
    expect(ports.length).toBeGreaterThanOrEqual(5);
  });

  test('reads nothing on any of them', () => {
    expect(ports.flatMap((port) => successes(port))).toEqual([]);
  });

  test('changes nothing', async () => {
    expect(await everything()).toEqual(before);
  });
});
