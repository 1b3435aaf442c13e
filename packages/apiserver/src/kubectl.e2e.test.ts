import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer, type RunningApiServer } from './server/api-server.ts';

const execute = promisify(execFile);
let server: RunningApiServer;
let directory: string;

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return process.env.CI !== undefined;
  }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waygate-kubectl-'));
  server = await new ApiServer({ log: () => undefined }).start();
  await writeFile(join(directory, 'kubeconfig'), server.kubeconfig, { mode: 0o600 });
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await execute('kubectl', args, {
    cwd: directory,
    env: { ...process.env, KUBECONFIG: join(directory, 'kubeconfig'), HOME: directory },
  });
  return stdout;
}

/** Runs a command that is to fail, and returns what it said. */
async function refused(
  ...args: string[]
): Promise<{ code: number; stderr: string; stdout: string }> {
  try {
    const stdout = await kubectl(...args);
    throw new Error(`kubectl ${args.join(' ')} did not fail: ${stdout}`);
  } catch (error) {
    return error as { code: number; stderr: string; stdout: string };
  }
}

async function manifest(name: string, ...objects: object[]): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  return file;
}

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

describe.skipIf(!hasKubectl())('kubectl', () => {
  test('applies on the client side: created, configured, unchanged', async () => {
    expect(
      await kubectl('apply', '-f', await manifest('a.json', configMap('a', { k: '1' }))),
    ).toContain('created');
    expect(
      await kubectl('apply', '-f', await manifest('a.json', configMap('a', { k: '2' }))),
    ).toContain('configured');
    expect(await kubectl('apply', '-f', join(directory, 'a.json'))).toContain('unchanged');
    const diff = await refused('diff', '-f', await manifest('d.json', configMap('a', { k: '3' })));
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain('+  k: "3"');
  });

  test('applies on the server side, with conflicts and force', async () => {
    const one = await manifest('s1.json', configMap('s', { k: '1' }));
    const two = await manifest('s2.json', configMap('s', { k: '2' }));
    await kubectl('apply', '--server-side', '--field-manager=one', '-f', one);
    const conflict = await refused('apply', '--server-side', '--field-manager=two', '-f', two);
    expect(conflict.stderr).toContain('with "one"');
    await kubectl('apply', '--server-side', '--field-manager=two', '--force-conflicts', '-f', two);
    const owners = await kubectl('get', 'cm', 's', '-o', 'yaml', '--show-managed-fields');
    expect(owners).toContain('manager: two');
  });

  test('creates, reads in all forms, edits, labels, patches and deletes', async () => {
    await kubectl('create', 'deployment', 'web', '--image=web:1', '--replicas=2');
    expect(await kubectl('get', 'deploy', 'web')).toMatch(/web +0\/2/);
    for (const output of [
      'wide',
      'name',
      'json',
      'yaml',
      'jsonpath={.spec.replicas}',
      'custom-columns=N:.metadata.name',
    ]) {
      expect(await kubectl('get', 'deploy', 'web', '-o', output)).not.toBe('');
    }
    expect(await kubectl('describe', 'deploy', 'web')).toContain('web:1');
    await kubectl('scale', 'deploy', 'web', '--replicas=3');
    await kubectl('label', 'deploy', 'web', 'tier=front');
    await kubectl('annotate', 'deploy', 'web', 'note=hi');
    await kubectl(
      'patch',
      'deploy',
      'web',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/replicas","value":4}]',
    );
    await kubectl('patch', 'deploy', 'web', '--type=merge', '-p', '{"spec":{"minReadySeconds":1}}');
    await kubectl(
      'patch',
      'deploy',
      'web',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:2"}]}}}}',
    );
    expect(
      await kubectl(
        'get',
        'deploy',
        'web',
        '-o',
        'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}',
      ),
    ).toBe('4 web:2');
    await writeFile(
      join(directory, 'editor'),
      '#!/bin/sh\nsed -i "s/replicas: 4/replicas: 5/" "$1"\n',
      { mode: 0o755 },
    );
    await execute('kubectl', ['edit', 'deploy', 'web'], {
      cwd: directory,
      env: {
        ...process.env,
        KUBECONFIG: join(directory, 'kubeconfig'),
        HOME: directory,
        KUBE_EDITOR: join(directory, 'editor'),
      },
    });
    expect(await kubectl('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('5');
    await kubectl('delete', 'deploy', 'web', '--cascade=foreground', '--timeout=20s');
    expect((await refused('get', 'deploy', 'web')).stderr).toContain('not found');
  });

  test('tells what there is, and what one may do', async () => {
    expect(await kubectl('api-resources')).toContain('configmaps');
    expect(await kubectl('explain', 'deployment.spec.strategy')).toContain('rollingUpdate');
    expect((await refused('auth', 'can-i', 'create', 'pods', '--as=nobody')).stdout).toContain(
      'no',
    );
    expect(await kubectl('auth', 'can-i', 'create', 'pods')).toContain('yes');
  });

  test('waits, replaces by force, and builds kustomizations', async () => {
    const file = await manifest('r.json', configMap('r', { k: '1' }));
    await kubectl('apply', '-f', file);
    await kubectl('replace', '--force', '-f', file);
    await kubectl('wait', '--for=jsonpath={.data.k}=1', 'cm/r', '--timeout=10s');
    await manifest('kustomization.yaml', { namePrefix: 'k-', resources: ['r.json'] });
    expect(await kubectl('apply', '-k', '.')).toContain('configmap/k-r created');
  });

  test('owners take their dependents with them, or leave them', async () => {
    for (const cascade of ['background', 'orphan']) {
      await kubectl('apply', '-f', await manifest('o.json', configMap(`owner-${cascade}`, {})));
      const uid = await kubectl('get', 'cm', `owner-${cascade}`, '-o', 'jsonpath={.metadata.uid}');
      const owned = {
        ...configMap(`owned-${cascade}`, {}),
        metadata: {
          name: `owned-${cascade}`,
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${cascade}`, uid }],
        },
      };
      await kubectl('apply', '-f', await manifest('p.json', owned));
      await kubectl('delete', 'cm', `owner-${cascade}`, `--cascade=${cascade}`);
    }
    await kubectl('wait', '--for=delete', 'cm/owned-background', '--timeout=10s');
    expect(await kubectl('get', 'cm', 'owned-orphan', '-o', 'name')).toContain('owned-orphan');
  });

  test('a namespace goes with all that is in it', async () => {
    await kubectl('create', 'namespace', 'going');
    await kubectl('create', 'cm', 'x', '-n', 'going');
    await kubectl('delete', 'namespace', 'going', '--timeout=20s');
    expect((await refused('get', 'namespace', 'going')).stderr).toContain('not found');
  });

  test('custom resources are like any other', async () => {
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
              },
            },
            additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          },
        ],
      },
    };
    await kubectl('apply', '-f', await manifest('crd.json', crd));
    await kubectl(
      'wait',
      '--for=condition=Established',
      'crd/widgets.example.com',
      '--timeout=10s',
    );
    await kubectl(
      'apply',
      '-f',
      await manifest('w.json', {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: { size: 3 },
      }),
    );
    expect(await kubectl('get', 'widgets')).toMatch(/w +3/);
    expect(await kubectl('explain', 'widget.spec')).toContain('size');
  });
});

test('@kubernetes/client-node works unchanged', async () => {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'from-client' }, data: { k: 'v' } },
  });
  const list = await core.listNamespacedConfigMap({ namespace: 'default' });
  expect(list.items.map((item) => item.metadata?.name)).toContain('from-client');
});
