import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Gateway } from '@waygate/gateway';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CliContext } from '../context.ts';
import { anyPorts, RunRegistry } from '../runs/run-registry.ts';
import { adminTokenFile } from './admin-address.ts';
import { openProject } from './open-project.ts';
import { runUp } from './run-up.ts';
import { Screen } from './screen.ts';
import { StateDirectory } from './state-directory.ts';

// The whole line in this process: the API, the controllers and the gateway are real. What are processes of their own
// elsewhere are small programs here, which say what the real ones would.

let home: string;
let project: string;
let backend: Server;
let gateway: Gateway | undefined;
let children: ChildProcess[];
let stop: AbortController;
let running: Promise<void>;
let events: Record<string, unknown>[];

const gatewayProgram = `
  const value = JSON.parse(process.argv[2]);
  process.on('message', ({ type, id }) => {
    if (type === 'start') process.send({ type: 'started', value });
    if (type === 'ask') process.send({ type: 'alive' });
    if (type === 'call') process.send({ type: 'answered', id, value: [] });
    if (type === 'stop') process.exit(0);
  });
  process.once('disconnect', () => process.exit(0));
`;
/** Says of each task that it runs where the test listens, in this process. */
const ownerProgram = `
  const told = new Map();
  process.on('message', ({ tasks }) => {
    for (const { id, revision } of tasks) {
      if (told.get(id) === revision) continue;
      told.set(id, revision);
      const state = { id, revision, port: Number(process.argv[2]), phase: 'running', isReady: true,
        processId: process.pid, startedMs: Date.now(), restarts: 0 };
      process.send({ type: 'state', state });
      process.send({ type: 'line', id, atMs: Date.now(), text: 'hello from ' + id });
      process.send({ type: 'news', id, text: 'is started' });
    }
  });
  process.once('disconnect', () => process.exit(0));
`;

const manifests = (more: { path?: string; class?: string } = {}) => `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: default, annotations: {port: "p\${extra_port}"}}
spec:
  ingressClassName: ${more.class ?? 'kong'}
  rules:
  - http: {paths: [{path: ${more.path ?? '/web'}, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}
`;

const projectFile = `
services: {web: {start: {command: [node, web.mjs]}}}
backends: [{name: extra, command: [node, extra.mjs]}]
try: {path: /web}
`;

beforeEach(async () => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-run-up-')));
  project = join(home, 'project');
  mkdirSync(project);
  children = [];
  events = [];
  stop = new AbortController();
  running = Promise.resolve();
  backend = createServer((request, response) => response.end(`answer ${request.url}`));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  stop.abort();
  await running;
  await gateway?.stop();
  gateway = undefined;
  for (const child of children) child.kill('SIGKILL');
  await new Promise((resolve) => backend.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

function start(name: string, text: string, argument: string): ChildProcess {
  const file = join(home, name);
  writeFileSync(file, text);
  const child = fork(file, [argument], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  return child;
}

async function startGateway(
  token: string,
): Promise<{ http: number; https: number; admin: number }> {
  const host = '127.0.0.1';
  gateway = new Gateway({
    mode: 'database',
    directory: join(home, 'gateway'),
    certificateDirectory: join(home, 'tls'),
    proxy: [
      { host, port: 0 },
      { host, port: 0, isTls: true },
    ],
    admin: { host, port: 0, token },
    log: { warn: () => undefined, error: () => undefined },
  });
  const { proxy, admin } = await gateway.start();
  const [http, https] = [false, true].map((isTls) => proxy.find((each) => each.isTls === isTls));
  return { http: http?.port ?? 0, https: https?.port ?? 0, admin: admin?.port ?? 0 };
}

/** Runs `waygate up` on the project, with its state in a directory that is kept. */
async function up(hasDashboard = true) {
  const state = new StateDirectory(join(home, 'state'));
  await state.claim();
  const { value: token } = state.secret(adminTokenFile);
  await state.release();
  const ports = await startGateway(token);
  const { port } = backend.address() as AddressInfo;
  const early = {
    gateway: start('gateway.mjs', gatewayProgram, JSON.stringify(ports)),
    owner: start('owner.mjs', ownerProgram, String(port)),
    end: () => undefined,
  };
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split('\n')) events.push(JSON.parse(line));
      done();
    },
  });
  const errors: string[] = [];
  const context: CliContext = {
    stdin: Readable.from([]),
    stdout,
    stderr: new Writable({
      write(chunk: Buffer, _encoding, done) {
        errors.push(chunk.toString());
        done();
      },
    }),
    env: { XDG_STATE_HOME: join(home, 'own') },
    cwd: home,
    signal: stop.signal,
    exitCode: 0,
  };
  const registry = new RunRegistry(context.env);
  const screen = new Screen({
    stdout,
    format: 'json',
    isTerminal: false,
    hasColour: false,
    now: () => new Date(0),
  });
  running = runUp({
    screen,
    project: openProject(project, 'auto', undefined),
    state,
    registry,
    place: project,
    early,
    context,
    isVerbose: false,
    opensDashboard: false,
    isPathGiven: false,
    traces: {},
    lastPorts: anyPorts,
    ports: { api: 0, http: 0, https: 0, admin: 0, dashboard: 0 },
    hasDashboard,
    adminOrigins: [],
    routerFlavor: 'traditional_compatible',
  });
  running.catch(() => undefined);
  return { registry, ports, port, owner: early.owner, errors, state };
}

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 25_000, interval: 50 });
const told = (type: string) => events.filter((event) => event.type === type);
const messages = (type: string) => told(type).map(({ message }) => message);

test('a project from its files to an answer, broken, mended and ended', {
  timeout: 120_000,
}, async () => {
  writeFileSync(join(project, 'web.yaml'), manifests());
  writeFileSync(join(project, 'waygate.yaml'), projectFile);
  const { registry, ports, port, owner, errors, state } = await up();
  const answer = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${ports.http}${path}`);
    return `${response.status} ${response.ok ? await response.text() : ''}`;
  };

  // What it says when it is up, and writes down for others to find.
  await eventually(() => expect(told('ready')).toHaveLength(1));
  const addresses = {
    apiUrl: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    httpUrl: `http://127.0.0.1:${ports.http}`,
    httpsUrl: `https://127.0.0.1:${ports.https}`,
    adminUrl: `http://127.0.0.1:${ports.admin}`,
    adminTokenFile: join(home, 'state', adminTokenFile),
    kubeconfig: join(home, 'state', 'kubeconfig'),
  };
  const time = '1970-01-01T00:00:00.000Z';
  expect(told('ready')).toEqual([
    {
      time,
      type: 'ready',
      ...addresses,
      dashboardUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\?token=/),
    },
  ]);
  expect(events.findIndex(({ type }) => type === 'ready')).toBeLessThan(
    events.findIndex(({ message }) => message === `following the files of ${project}`),
  );
  await eventually(async () => expect(await answer('/web')).toBe('200 answer /web'));
  const process_ = { id: owner.pid, identity: expect.any(String) };
  await eventually(() =>
    expect(registry.running()).toEqual([
      {
        ...addresses,
        process: { id: process.pid, identity: expect.any(String) },
        directory: project,
        startedIn: home,
        startedAt: expect.any(String),
        following: `following the files of ${project}`,
        logFile: join(home, 'state', 'run.log'),
        ports: {
          api: expect.any(Number),
          ...ports,
          dashboard: expect.any(Number),
          backends: { 'backend extra': port, 'default/web': port },
        },
        processes: [process_, process_],
      },
    ]),
  );
  await eventually(() => expect(state.readPorts()).toMatchObject(ports));
  await eventually(() =>
    expect(told('output').map(({ process: from, text }) => [from, text])).toEqual([
      ['extra', 'hello from backend extra'],
      ['web', 'hello from default/web'],
    ]),
  );
  expect(messages('change')).toContain('extra is started');
  expect(messages('change')).toContain('web is started');
  await eventually(() =>
    expect(JSON.stringify(told('change'))).toContain('Ingress/default/web created'),
  );

  // A save.
  writeFileSync(join(project, 'web.yaml'), manifests({ path: '/shop' }));
  await eventually(async () => expect(await answer('/shop')).toBe('200 answer /shop'));
  expect(await answer('/web')).toBe('404 ');

  // One that is wrong, and one that mends it.
  writeFileSync(join(project, 'web.yaml'), manifests({ class: 'other' }));
  const problem = {
    object: 'Ingress default/web',
    field: 'spec.ingressClassName',
    message: 'is other: this gateway serves the class kong',
    fix: 'set spec.ingressClassName to kong',
  };
  await eventually(() => expect(told('problem')).toMatchObject([problem]));
  await eventually(async () => expect(await answer('/shop')).toBe('404 '));
  writeFileSync(join(project, 'web.yaml'), manifests());
  await eventually(() => expect(told('solved')).toMatchObject([problem]));
  await eventually(async () => expect(await answer('/web')).toBe('200 answer /web'));

  // The same of waygate.yaml.
  writeFileSync(join(project, 'waygate.yaml'), `${projectFile}poem: yes\n`);
  await eventually(() => expect(told('problem')).toHaveLength(2));
  expect(told('problem')[1]?.object).toMatch(/^waygate\.yaml/);
  expect(await answer('/web')).toBe('200 answer /web');
  writeFileSync(join(project, 'waygate.yaml'), `path: .\n${projectFile}`);
  await eventually(() => expect(messages('change')).toContain('waygate.yaml was read again'));
  await eventually(() => expect(told('solved')).toHaveLength(2));
  expect(messages('change')).not.toContain('its path holds from the next start on');

  // The end: nothing runs, nothing is written down, and what was to be kept is kept.
  stop.abort();
  await running;
  expect(registry.running()).toEqual([]);
  expect(registry.lastPorts(project)).toMatchObject({ ...ports });
  await eventually(() => expect(children.map(({ exitCode }) => exitCode)).toEqual([0, 0]));
  expect(existsSync(join(home, 'state', 'kubeconfig'))).toBe(true);
  expect(errors).toEqual([]);
});

test('backends are known from the start, and without a dashboard problems are told, too', {
  timeout: 60_000,
}, async () => {
  writeFileSync(join(project, 'web.yaml'), manifests({ class: 'other' }));
  writeFileSync(join(project, 'waygate.yaml'), projectFile.replace(/^services.*$/m, ''));
  const { registry, owner, port } = await up(false);
  await eventually(() => expect(told('ready')).toHaveLength(1));
  expect(told('ready')[0]).not.toHaveProperty('dashboardUrl');
  await eventually(() =>
    expect(registry.running()).toMatchObject([
      { processes: [{ id: owner.pid }], ports: { backends: { 'backend extra': port } } },
    ]),
  );
  await eventually(() =>
    expect(told('problem').map(({ object, fix }) => [object, fix])).toEqual(
      expect.arrayContaining([
        ['Ingress default/web', 'set spec.ingressClassName to kong'],
        ['Service default/web', expect.stringContaining('waygate.yaml')],
      ]),
    ),
  );
});
