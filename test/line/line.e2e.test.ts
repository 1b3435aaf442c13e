import { cpSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Running, run, start, waygate, workspace } from '../real/processes.ts';

// The line from outside: a commit goes in by git, an answer comes out by curl, and kubectl looks on.
// Nothing of Waygate is imported here.

let home: string;
let tree: string;
let stack: Running;
let gatewayUrl: string;
let kubeconfig: string;

const patience = { timeout: 20_000, interval: 50 };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'waygate-line-'));
  tree = join(home, 'shop');
  cpSync(join(workspace, 'examples', 'shop'), tree, { recursive: true });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  await commit('The shop');
  await startStack();
});

afterAll(async () => {
  await stack?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function startStack(): Promise<void> {
  stack = start(process.execPath, [
    waygate,
    'up',
    tree,
    '--data-dir',
    join(home, 'state'),
    '--verbose',
  ]);
  await vi.waitFor(() => expect(stack.output()).toContain('What changes'), patience);
  gatewayUrl = /Gateway\s+(http:\S+)/.exec(stack.output())![1]!;
  kubeconfig = /KUBECONFIG=(\S+)/.exec(stack.output())![1]!;
}

async function git(...args: string[]): Promise<void> {
  const { code, stderr } = await run('git', ['-C', tree, ...args]);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

async function commit(message: string): Promise<void> {
  await git('add', '--all');
  await git('commit', '--quiet', '--message', message);
}

async function curl(path: string, ...args: string[]): Promise<{ status: number; body: string }> {
  const { stdout } = await run('curl', [
    '-s',
    '-m',
    '5',
    '-w',
    '\n%{http_code}',
    ...args,
    `${gatewayUrl}${path}`,
  ]);
  const lines = stdout.split('\n');
  return { status: Number(lines.pop()), body: lines.join('\n') };
}

async function kubectl(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await run('kubectl', ['--kubeconfig', kubeconfig, ...args]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function edit(file: string, change: (text: string) => string): void {
  const path = join(tree, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

async function share(count: number): Promise<number> {
  const args = Array.from({ length: count }, () => `${gatewayUrl}/catalog`);
  const { stdout } = await run('curl', ['-s', '-m', '10', ...args]);
  return stdout.split('\n').filter((line) => line.includes('catalog-canary')).length;
}

const newRoute = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: news
spec:
  ingressClassName: kong
  rules:
    - http:
        paths:
          - path: /news
            pathType: Prefix
            backend:
              service:
                name: storefront
                port:
                  number: 80
`;

describe('from a commit to traffic', () => {
  test('the example answers', async () => {
    await vi.waitFor(
      async () => expect((await curl('/catalog')).body).toContain('catalog-'),
      patience,
    );
    await vi.waitFor(
      async () => expect((await curl('/')).body).toContain('"service":"storefront"'),
      patience,
    );
  });

  test('a route that needs a key refuses without it, and lets in with it', async () => {
    await vi.waitFor(async () => expect((await curl('/orders')).status).toBe(401), patience);
    await vi.waitFor(async () => {
      const { status, body } = await curl('/orders', '-H', 'apikey: shop-demo-key');
      expect(status).toBe(200);
      expect(body).toContain('"path":"/orders"');
    }, patience);
  });

  test('kubectl sees what was applied, and by which commit', async () => {
    const revision = await kubectl(
      'get',
      'kustomizations',
      '-n',
      'waygate-system',
      'project',
      '-o',
      'jsonpath={.status.lastAppliedRevision}',
    );
    expect(revision).toMatch(/^main@sha1:[0-9a-f]{40}$/);
    expect(await kubectl('get', 'ingress', '-n', 'shop', '-o', 'name')).toContain(
      'ingress.networking.k8s.io/orders',
    );
    await kubectl(
      'wait',
      '--for=condition=Ready',
      '-n',
      'waygate-system',
      'kustomization/project',
      '--timeout=20s',
    );
    expect(await kubectl('describe', '-n', 'shop', 'service', 'storefront')).toContain(
      'storefront',
    );
  });

  test('a commit with a new route brings traffic', async () => {
    expect((await curl('/news')).body).toContain('"path":"/news"'); // the storefront takes every path
    writeFileSync(
      join(tree, 'base', 'news.yaml'),
      newRoute.replace(
        '  name: news',
        '  name: news\n  annotations:\n    konghq.com/strip-path: "true"',
      ),
    );
    edit('base/kustomization.yaml', (text) => `${text}  - news.yaml\n`);
    await commit('Add the news');
    await vi.waitFor(
      async () => expect((await curl('/news')).body).toContain('"path":"/"'),
      patience,
    );
  });

  test('a URL is traced back to the commit and the file that put it there', async () => {
    const { stdout: head } = await run('git', ['-C', tree, 'rev-parse', 'HEAD']);
    const admin = /Admin API\s+(http:\S+)/.exec(stack.output())![1]!;
    const where = ['--kong-addr', admin, '--kubeconfig', kubeconfig];
    await vi.waitFor(async () => {
      const { stdout } = await run(process.execPath, [
        waygate,
        'trace',
        `${gatewayUrl}/news`,
        ...where,
      ]);
      expect(stdout).toContain(`from commit main@sha1:${head.trim()}`);
      expect(stdout).toMatch(/Ingress shop\/news +base\/news.yaml:1/);
      expect(stdout).toMatch(/target +127\.0\.0\.1:\d+ +weight 100/);
      expect(stdout).toContain('does not match paths');
    }, patience);
  });

  test('a change of weights changes the shares', async () => {
    expect(await share(50)).toBe(5);
    edit('base/routes.yaml', (text) =>
      text.replace('weight: 90', 'weight: 50').replace('weight: 10', 'weight: 50'),
    );
    await commit('Send half to the canary');
    await vi.waitFor(async () => expect(await share(50)).toBe(25), patience);
  });

  test('a file that is deleted is pruned, and its route is gone', async () => {
    unlinkSync(join(tree, 'base', 'news.yaml'));
    edit('base/kustomization.yaml', (text) => text.replace('  - news.yaml\n', ''));
    await commit('No more news');
    await vi.waitFor(
      async () => expect((await curl('/news')).body).toContain('"path":"/news"'),
      patience,
    );
    expect(await kubectl('get', 'ingress', '-n', 'shop', '-o', 'name')).not.toContain('news');
  });

  test('a manifest that is broken stops nothing else, and is told where people look', async () => {
    edit('base/routes.yaml', (text) => text.replace('pathType: Prefix', 'pathType: Nonsense'));
    edit('base/access.yaml', (text) => text.replace('second: 5', 'second: 50'));
    await commit('Break a route');
    await vi.waitFor(async () => {
      const message = await kubectl(
        'get',
        'kustomization',
        '-n',
        'waygate-system',
        'project',
        '-o',
        `jsonpath={.status.conditions[?(@.type=="Ready")].status} {.status.conditions[?(@.type=="Ready")].message}`,
      );
      expect(message).toMatch(/^False .*Ingress\/shop\/storefront.*pathType/s);
    }, patience);
    await vi.waitFor(async () => {
      const events = await kubectl(
        'get',
        'events',
        '-n',
        'waygate-system',
        '-o',
        'jsonpath={range .items[*]}{.type} {.message}{"\\n"}{end}',
      );
      expect(events).toMatch(/^Warning .*pathType/m);
    }, patience);
    expect((await curl('/')).body).toContain('storefront');
    await vi.waitFor(async () => {
      const limit = await curl(
        '/orders',
        '-H',
        'apikey: shop-demo-key',
        '-D',
        '-',
        '-o',
        '/dev/null',
      );
      expect(limit.body).toMatch(/RateLimit-Limit: 50/i);
    }, patience);
  });

  test('a revert heals', async () => {
    await git('revert', '--no-edit', 'HEAD');
    await kubectl(
      'wait',
      '--for=condition=Ready',
      '-n',
      'waygate-system',
      'kustomization/project',
      '--timeout=20s',
    );
    await vi.waitFor(async () => {
      const limit = await curl(
        '/orders',
        '-H',
        'apikey: shop-demo-key',
        '-D',
        '-',
        '-o',
        '/dev/null',
      );
      expect(limit.body).toMatch(/RateLimit-Limit: 5\r?$/im);
    }, patience);
  });

  test('killed with -9 and started again on its data, it gives the same answers', async () => {
    const before = await kubectl(
      'get',
      'ingress,services,kongplugins,httproutes',
      '-n',
      'shop',
      '-o',
      'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\\n"}{end}',
    );
    await stack.stop('SIGKILL');
    const url = gatewayUrl;
    await startStack();
    expect(gatewayUrl).toBe(url);
    await vi.waitFor(
      async () => expect((await curl('/catalog')).body).toContain('catalog-'),
      patience,
    );
    await vi.waitFor(async () => {
      expect((await curl('/orders')).status).toBe(401);
      expect((await curl('/orders', '-H', 'apikey: shop-demo-key')).status).toBe(200);
      expect(await share(50)).toBe(25);
    }, patience);
    expect(
      await kubectl(
        'get',
        'ingress,services,kongplugins,httproutes',
        '-n',
        'shop',
        '-o',
        'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\\n"}{end}',
      ),
    ).toBe(before);
  });

  test('SIGTERM ends it in order', async () => {
    expect(await stack.stop('SIGTERM')).toBe(0);
    expect((await curl('/')).status).toBe(0);
  });
});

describe('a directory that is no Git work tree', () => {
  test('is followed file by file', async () => {
    rmSync(join(tree, '.git'), { recursive: true });
    rmSync(join(home, 'state'), { recursive: true });
    await startStack();
    await vi.waitFor(
      async () => expect((await curl('/catalog')).body).toContain('catalog-'),
      patience,
    );
    edit('base/routes.yaml', (text) =>
      text.replace(/weight: 50/, 'weight: 100').replace(/weight: 50/, 'weight: 0'),
    );
    await vi.waitFor(async () => expect(await share(20)).toBe(0), patience);
    expect(await stack.stop('SIGTERM')).toBe(0);
  });
});

describe('wrong usage', () => {
  test.each([
    [['up', '/no/such/directory'], 'there is no directory'],
    [['up', '--http-port', 'eighty'], 'must be a port'],
    [['up', '--sauce', 'git'], 'unknown option'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await run(process.execPath, [waygate, ...args]);
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });

  test('a port that is taken is said plainly, and nothing is left running', async () => {
    const first = start(process.execPath, [waygate, 'up']);
    await vi.waitFor(() => expect(first.output()).toContain('What changes'), patience);
    const port = /Gateway\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(first.output())![1]!;
    const second = await run(process.execPath, [waygate, 'up', '--http-port', port]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`port ${port} is taken`);
    // What watches the API that ends with it says nothing of its own.
    expect(second.stderr).not.toContain('KubeError');
    expect(await first.stop('SIGINT')).toBe(0);
  });
});
