import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isListening, type Running, run, start, waygate } from '../real/processes.ts';

// One's own application at the desk: a Deployment, a Service and an Ingress, and `waygate up`, with the real
// kubectl.

const patience = { timeout: 60_000, interval: 50 };
let home: string;
let project: string;
let environment: Record<string, string>;
let stack: Running | undefined;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'waygate-desk-')));
  project = join(home, 'project');
  mkdirSync(project);
  environment = { XDG_STATE_HOME: join(home, 'state'), TMPDIR: home };
  writeFileSync(join(project, 'app.yaml'), manifests('hello'));
});

afterEach(async () => {
  await stack?.stop('SIGKILL');
  stack = undefined;
  rmSync(home, { recursive: true, force: true });
});

const manifests = (greeting: string): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { GREETING: ${greeting} }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: example.com/web
          envFrom: [{ configMapRef: { name: settings } }]
          ports: [{ containerPort: 8080, name: http }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  ingressClassName: kong
  rules:
    - http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
`;

const program = `
import { createServer } from 'node:http';
createServer((request, response) => {
  console.log('asked for', request.url);
  if (request.url === '/crash') process.exit(7);
  response.end(process.env.GREETING);
}).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
`;

async function up(directory = project, ...flags: string[]): Promise<void> {
  stack = start(process.execPath, [waygate, 'up', directory, ...flags], environment);
  await vi.waitFor(() => expect(stack!.output()).toContain('What changes'), patience);
}

const said = (text: string | RegExp) =>
  vi.waitFor(() => expect(stack!.output()).toMatch(text), patience);

function kubectl(...args: string[]) {
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(stack!.output())![1]!;
  return run('kubectl', ['--kubeconfig', kubeconfig, ...args], { timeoutMs: 40_000 });
}

const verb = (...args: string[]) =>
  run('env', [
    '-u',
    'KUBECONFIG',
    '-C',
    project,
    `XDG_STATE_HOME=${environment.XDG_STATE_HOME}`,
    process.execPath,
    waygate,
    ...args,
  ]);

async function ask(path = ''): Promise<string> {
  const url = /curl (http:\S+)/.exec(stack!.output())![1]!;
  return (await run('curl', ['-s', '-m', '5', `${url}${path}`])).stdout;
}

const unserved = `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: theirs }
spec:
  ingressClassName: traefik
  rules:
    - http:
        paths:
          - { path: /theirs, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: attached }
spec:
  hostnames: [attached.example]
  parentRefs: [{ name: kong }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: lost }
spec:
  hostnames: [lost.example]
  parentRefs: [{ name: nowhere }]
  rules: [{ backendRefs: [{ name: web, port: 80 }] }]
`;

test('without a word of what runs, everything says so at once and how to go on', async () => {
  writeFileSync(join(project, 'unserved.yaml'), unserved);
  await up();
  await said('problem: Service default/web: has nothing behind it: nothing runs pods here');
  expect(stack!.output()).toContain('waygate init proposes one');
  await vi.waitFor(
    async () => expect((await kubectl('get', 'pods')).stdout).toContain('Pending'),
    patience,
  );
  const sentence = 'nothing runs pods here: say in waygate.yaml what stands in for its Service';
  expect((await kubectl('logs', 'deployment/web')).stderr).toContain(sentence);
  expect((await kubectl('rollout', 'status', 'deployment/web')).stderr).toContain(
    'exceeded its progress deadline',
  );
  expect((await kubectl('port-forward', 'service/web', ':80')).stderr).toContain(
    'pod is not running',
  );
  // A route that is not there says why, in the same words everywhere; one finds a Gateway to attach to.
  const theirs = 'is traefik: this gateway serves the class kong';
  const lost = 'names the Gateway default/nowhere, which is not there';
  await said(`problem: Ingress default/theirs: spec.ingressClassName ${theirs}`);
  await said(`problem: HTTPRoute default/lost: spec.parentRefs[0] ${lost}`);
  const events = (await kubectl('get', 'events')).stdout;
  expect(events).toContain(theirs);
  expect(events).toContain(lost);
  expect(events).not.toContain('httproute/attached');
  const problems = (await verb('problems')).stdout;
  expect(problems).toContain(theirs);
  expect(problems).toContain(lost);
  const checked = (await verb('check', '--skip-cluster', '-f', '.')).stdout;
  expect(checked).toContain(theirs);
  expect(checked).toContain(lost);
  expect((await verb('trace', 'http://lost.example/theirs')).stdout).toMatch(
    new RegExp(
      `no targets: Service default/web has no endpoints\\n.*waygate init proposes it[^]*Would take it, but are not served:\\n.*${theirs}.*\\n.*${lost}`,
    ),
  );
  expect((await verb('trace', 'http://attached.example/')).stdout).toContain(
    'HTTPRoute default/attached',
  );

  // What is proposed works as it is, without another start.
  const proposed = await verb('init');
  expect(proposed.stdout).toContain('waygate.yaml: web.');
  await said('solved: Service default/web');
  expect((await kubectl('rollout', 'status', 'deployment/web')).code).toBe(0);
  await vi.waitFor(
    async () => expect(JSON.parse(await ask('echo'))).toMatchObject({ url: '/echo' }),
    patience,
  );
  expect(stack!.output()).not.toContain('BuildFailed');
});

test('a program behind a Service is a Pod that kubectl can be asked about', async () => {
  writeFileSync(join(project, 'server.mjs'), program);
  writeFileSync(join(project, 'waygate.yaml'), 'services:\n  web: {start: [node, server.mjs]}\n');
  await up();
  await said('web | listening');
  expect((await kubectl('rollout', 'status', 'deployment/web')).stdout).toContain(
    'successfully rolled out',
  );
  expect((await kubectl('wait', '--for=condition=Ready', 'pod', '-l', 'app=web')).code).toBe(0);
  await vi.waitFor(async () => expect(await ask()).toBe('hello'), patience);
  // It had the environment of its Deployment from the start.
  expect(stack!.output()).not.toContain('is started again');

  const following = kubectl('logs', '-f', 'deployment/web');
  const forward = start('kubectl', [
    '--kubeconfig',
    /KUBECONFIG=(\S+)/.exec(stack!.output())![1]!,
    'port-forward',
    'service/web',
    ':80',
  ]);
  await vi.waitFor(() => expect(forward.output()).toContain('Forwarding from'), patience);
  const port = /127\.0\.0\.1:(\d+)/.exec(forward.output())![1]!;
  expect((await run('curl', ['-s', `http://127.0.0.1:${port}/forwarded`])).stdout).toBe('hello');
  await forward.stop();

  await ask('crash');
  await said('web ended (exit code 7); it is started again in 1 s');
  expect((await following).stdout).toMatch(
    /^listening\n.*asked for \/forwarded\n.*asked for \/crash\n$/s,
  );
  await vi.waitFor(async () => expect(await ask()).toBe('hello'), patience);
  expect((await kubectl('get', 'pods')).stdout).toMatch(/1\/1\s+Running\s+1 /);
  expect((await kubectl('logs', '--previous', 'deployment/web')).stdout).toContain(
    'asked for /crash',
  );

  writeFileSync(join(project, 'app.yaml'), manifests('moin'));
  await vi.waitFor(async () => expect(await ask()).toBe('moin'), patience);
  expect(stack!.output()).toContain('web is started again: its settings have changed');

  // Verbs find the stack by themselves, and end it.
  expect((await verb('status')).stdout).toContain(`waygate up for ${project}`);
  expect((await verb('trace', `${/curl (http:\S+)/.exec(stack!.output())![1]}`)).stdout).toContain(
    'web',
  );
  const ports = /Gateway\s+(\S+)/.exec(stack!.output())![1];
  expect((await verb('down')).stdout).toContain(`Ended waygate up for ${project}`);
  expect((await verb('status')).code).toBe(1);
  await up();
  expect(/Gateway\s+(\S+)/.exec(stack!.output())![1]).toBe(ports);
});

test('what stands in for a Service may be attached or a stub, and another while it runs', async () => {
  const binding = (text: string) =>
    writeFileSync(join(project, 'waygate.yaml'), `services:\n  web: ${text}\n`);
  const answers = (text: string) =>
    vi.waitFor(async () => expect(await ask()).toContain(text), patience);
  const server = createServer((_, response) => response.end('attached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    binding(`{attach: ${port}}`);
    await up();
    await answers('attached');
    const rollout = ['rollout', 'status', 'deployment/web', '--timeout=30s'];
    expect((await kubectl(...rollout)).stdout).toContain('successfully rolled out');
    server.closeAllConnections();
    server.close();
    await said(
      `problem: Service default/web: has nothing behind it: nothing listens on 127.0.0.1:${port}`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
  binding('{stub: {status: 200, body: {eur: 1}}}');
  await answers('{"eur":1}');
  await said('solved: Service default/web');
  // What is wrong is told, and changes nothing.
  binding('{stub: ecko}');
  await said('problem: waygate.yaml:2: services.web.stub must be echo');
  expect(await ask()).toBe('{"eur":1}');
  binding('{stub: echo}');
  await said('solved: waygate.yaml:2');
  await answers('"method": "GET"');
  expect((await kubectl('logs', 'deployment/web')).stdout).toContain('GET /');
});

test('an overlay of a larger tree is followed with its base, and with --watch saves count beside commits', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', project, '-c', 'user.name=d', '-c', 'user.email=d@l', ...args]);
  const overlay = join(project, 'overlays/local');
  const greet = (greeting: string) =>
    writeFileSync(join(project, 'base/app.yaml'), manifests(greeting));
  const answers = (text: string) =>
    vi.waitFor(async () => expect(await ask()).toBe(text), patience);
  for (const each of ['overlays/local', 'overlays/prod', 'base'])
    mkdirSync(join(project, each), { recursive: true });
  rmSync(join(project, 'app.yaml'));
  writeFileSync(join(project, 'base/kustomization.yaml'), 'resources: [app.yaml]\n');
  for (const each of ['local', 'prod'])
    writeFileSync(
      join(project, `overlays/${each}/kustomization.yaml`),
      'resources: [../../base]\n',
    );
  writeFileSync(join(project, 'server.mjs'), program);
  const bound = 'services:\n  web: {start: {command: [node, server.mjs], directory: DIR}}\n';
  writeFileSync(join(overlay, 'waygate.yaml'), bound.replace('DIR', '../..'));
  writeFileSync(
    join(project, 'waygate.yaml'),
    `path: overlays/local\n${bound.replace('DIR', '.')}`,
  );
  greet('one');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'One');

  await up(overlay);
  await said(`following the files of ${project}`);
  await answers('one');
  greet('two');
  await answers('two');
  expect((await kubectl('get', 'deployments', '-A', '-o', 'name')).stdout).toBe(
    'deployment.apps/web\n',
  );
  expect(await stack!.stop('SIGINT')).toBe(0);

  await up(project, '--watch');
  await answers('two');
  git('checkout', '-qb', 'other');
  greet('three');
  await answers('three');
  git('commit', '-qam', 'Three');
  git('checkout', '-q', 'main');
  await answers('one');
  expect(await stack!.stop('SIGINT')).toBe(0);

  await up(project);
  await said('following commits of branch main');
  await answers('one');
  git('checkout', '-q', 'other');
  await said('following commits of branch other');
  await answers('three');
});

test('what a killed up leaves behind holds no port, and the next start takes it away', async () => {
  writeFileSync(join(project, 'server.mjs'), program);
  writeFileSync(join(project, 'waygate.yaml'), 'services:\n  web: {start: [node, server.mjs]}\n');
  await up();
  await said('web | listening');
  const parent = stack!.process.pid!;
  const rows = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const host = Number(new RegExp(`^\\s*(\\d+)\\s+${parent} .*host-process`, 'm').exec(rows)![1]);
  const child = Number(new RegExp(`^\\s*(\\d+)\\s+${host} .*server\\.mjs`, 'm').exec(rows)![1]);
  const state = (): string => {
    try {
      return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1] ?? '';
    } catch {
      return '';
    }
  };
  const port = Number(
    (await kubectl('get', 'endpointslice', 'web-waygate-up', '-o', 'jsonpath={.ports[0].port}'))
      .stdout,
  );
  await vi.waitFor(async () => {
    const { stdout } = await verb('status', '--output', 'json');
    expect(stdout).toContain(`"id": ${child}`);
  }, patience);
  // Both at once, so that nobody is left to end the program.
  process.kill(host, 'SIGKILL');
  process.kill(parent, 'SIGKILL');
  await vi.waitFor(() => expect(stack!.process.signalCode).toBe('SIGKILL'), patience);
  expect(state()).toMatch(/[SR]/);
  await up();
  expect(stack!.output()).toContain(`killed and left processes behind: ended ${child}`);
  await said('web | listening');
  expect(['', 'Z']).toContain(state());
  expect(await isListening(port)).toBe(true);
  expect(await stack!.stop('SIGINT')).toBe(0);
  expect(await isListening(port)).toBe(false);
});
