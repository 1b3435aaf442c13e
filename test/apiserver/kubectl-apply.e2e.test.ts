import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configMap, deployment, Kubectl } from './kubectl.ts';
import { kubectlPrograms } from './kubectl-programs.ts';

interface Managed {
  metadata: {
    annotations?: Record<string, string>;
    managedFields: { manager: string; operation: string; subresource?: string }[];
  };
}

describe.each(kubectlPrograms())('$name applies', ({ program, has }) => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    kubectl = await Kubectl.start({}, program);
  });
  afterAll(() => kubectl?.stop());

  const shown = has('hides managed fields') ? ['--show-managed-fields'] : [];

  test('creates, leaves alone and configures, on the client side', async () => {
    const namespace = await kubectl.namespace();
    const place = ['-n', namespace];
    expect(await kubectl.apply(deployment('web'), ...place)).toBe('deployment.apps/web created\n');
    expect(await kubectl.apply(deployment('web'), ...place)).toBe(
      'deployment.apps/web unchanged\n',
    );
    expect(await kubectl.apply(deployment('web', 5), ...place)).toBe(
      'deployment.apps/web configured\n',
    );
    const found = await kubectl.json<{ spec: { replicas: number } } & Managed>([
      ...['get', 'deployment', 'web', ...shown, ...place],
    ]);
    expect(found.spec.replicas).toBe(5);
    expect(found.metadata.annotations).toHaveProperty([
      'kubectl.kubernetes.io/last-applied-configuration',
    ]);
    expect(found.metadata.managedFields.map((each) => each.manager)).toEqual([
      'kubectl-client-side-apply',
    ]);
  });

  test('removes on the client side what the manifest no longer has', async () => {
    const place = ['-n', await kubectl.namespace()];
    await kubectl.apply(configMap('m', { kept: '1', dropped: '2' }), ...place);
    await kubectl.run([...place, 'patch', 'cm', 'm', '-p', '{"data":{"other":"3"}}']);
    await kubectl.apply(configMap('m', { kept: '1' }), ...place);
    const { data } = await kubectl.json<{ data: unknown }>([...place, 'get', 'cm', 'm']);
    expect(data).toEqual({ kept: '1', other: '3' });
  });

  test('merges lists by their keys on the client side', async () => {
    const place = ['-n', await kubectl.namespace()];
    await kubectl.apply(deployment('web'), ...place);
    const sidecar = {
      spec: { template: { spec: { containers: [{ name: 'side', image: 's' }] } } },
    };
    await kubectl.run([...place, 'patch', 'deploy', 'web', '-p', JSON.stringify(sidecar)]);
    await kubectl.apply(deployment('web').replace('1.27', '1.28'), ...place);
    const images = await kubectl.run([
      ...[...place, 'get', 'deploy', 'web', '-o'],
      'jsonpath={.spec.template.spec.containers[*].image}',
    ]);
    expect(images.split(' ').sort()).toEqual(['nginx:1.28', 's']);
  });

  test('refuses a field that the schema does not know, and can be told not to', async () => {
    const place = ['-n', await kubectl.namespace()];
    const wrong = deployment('web').replace('replicas:', 'replicsa:');
    const refused = await kubectl.attempt(['apply', '-f', '-', ...place], { input: wrong });
    expect(refused.code).toBe(1);
    if (!has('validates on the server')) {
      expect(refused.stderr).toContain(
        'ValidationError(Deployment.spec): unknown field "replicsa"',
      );
      const input = wrong;
      expect(await kubectl.run(['apply', '--validate=false', '-f', '-', ...place], { input })).toBe(
        'deployment.apps/web created\n',
      );
      return;
    }
    expect(refused.stderr).toContain('strict decoding error: unknown field "spec.replicsa"');
    const warned = await kubectl.attempt(['apply', '--validate=warn', '-f', '-', ...place], {
      input: wrong,
    });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain('Warning: unknown field "spec.replicsa"');
    expect(
      await kubectl.attempt(['apply', '--validate=ignore', '-f', '-', ...place], { input: wrong }),
    ).toEqual({
      code: 0,
      stdout: 'deployment.apps/web configured\n',
      stderr: '',
    });
  });

  test('shows what a server-side dry run would do, and does nothing', async () => {
    const place = ['-n', await kubectl.namespace()];
    const shown = await kubectl.apply(
      deployment('web'),
      ...place,
      '--dry-run=server',
      '-o',
      'json',
    );
    expect(JSON.parse(shown)).toMatchObject({
      metadata: { uid: expect.any(String) },
      spec: { strategy: { type: 'RollingUpdate' } },
    });
    expect((await kubectl.attempt([...place, 'get', 'deploy', 'web'])).code).toBe(1);
  });

  test('applies on the server side under its own name', async () => {
    const place = ['-n', await kubectl.namespace()];
    const server = [...place, '--server-side'];
    expect(await kubectl.apply(deployment('web'), ...server)).toBe(
      'deployment.apps/web serverside-applied\n',
    );
    const found = await kubectl.json<Managed>([...[...place, 'get', 'deploy', 'web', ...shown]]);
    expect(found.metadata.managedFields).toMatchObject([
      { manager: 'kubectl', operation: 'Apply' },
    ]);
    expect(found.metadata.annotations).toBeUndefined();
  });

  test('reports a conflict on the server side, and takes over by force', async () => {
    const place = ['-n', await kubectl.namespace()];
    await kubectl.apply(configMap('m', { a: '1' }), ...place, '--server-side');
    const other = [...place, '--server-side', '--field-manager=other'];
    const refused = await kubectl.attempt(['apply', '-f', '-', ...other], {
      input: configMap('m', { a: '2' }),
    });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl": .data.a',
    );
    expect(refused.stderr).toContain('--force-conflicts');
    await kubectl.apply(configMap('m', { a: '2' }), ...other, '--force-conflicts');
    const found = await kubectl.json<Managed & { data: unknown }>([
      ...[...place, 'get', 'cm', 'm', ...shown],
    ]);
    expect(found.data).toEqual({ a: '2' });
    expect(found.metadata.managedFields.map((each) => each.manager)).toEqual(['other']);
  });

  test.runIf(has('leaves the client side'))(
    'goes from the client side to the server side without a conflict with itself',
    async () => {
      const place = ['-n', await kubectl.namespace()];
      await kubectl.apply(configMap('m', { a: '1', b: '1' }), ...place);
      await kubectl.apply(configMap('m', { a: '2' }), ...place, '--server-side');
      const found = await kubectl.json<Managed & { data: unknown }>([
        ...[...place, 'get', 'cm', 'm', ...shown],
      ]);
      expect(found.data).toEqual({ a: '2' });
      // The second is kubectl's own, to keep its note.
      const managers = found.metadata.managedFields.map(
        (each) => `${each.manager} ${each.operation}`,
      );
      expect(managers.sort()).toEqual(['kubectl Apply', 'kubectl-last-applied Apply']);
    },
  );

  test.runIf(has('apply sets'))('prunes what an apply set no longer has', async () => {
    const namespace = await kubectl.namespace();
    const args = ['-n', namespace, '--prune', '--applyset=set'];
    const environment = { KUBECTL_APPLYSET: 'true' };
    const both = `${configMap('one', {})}\n${configMap('two', {})}`;
    await kubectl.run(['apply', '-f', '-', ...args], { input: both, environment });
    const out = await kubectl.run(['apply', '-f', '-', ...args], {
      input: configMap('two', {}),
      environment,
    });
    expect(out).toContain('configmap/one pruned');
    const names = await kubectl.run(['-n', namespace, 'get', 'cm,secret', '-o', 'name']);
    expect(names.trim().split('\n')).toEqual([
      'configmap/kube-root-ca.crt',
      'configmap/two',
      'secret/set',
    ]);
  });

  test('prunes by label', async () => {
    const place = ['-n', await kubectl.namespace()];
    const labelled = (name: string) =>
      JSON.stringify({
        ...JSON.parse(configMap(name, { k: 'v' })),
        metadata: { name, labels: { app: 'x' } },
      });
    const allow = has('--prune-allowlist') ? '--prune-allowlist' : '--prune-whitelist';
    const prune = [...place, '--prune', '-l', 'app=x', `${allow}=core/v1/ConfigMap`];
    await kubectl.apply(`${labelled('one')}\n${labelled('two')}`, ...prune);
    expect(await kubectl.apply(labelled('two'), ...prune)).toBe(
      'configmap/two unchanged\nconfigmap/one pruned\n',
    );
  });

  test('applies a kustomization', async () => {
    const namespace = await kubectl.namespace();
    await mkdir(join(kubectl.directory, 'overlay'));
    await kubectl.file('overlay/deployment.yaml', deployment('web'));
    await kubectl.file(
      'overlay/kustomization.yaml',
      `namespace: ${namespace}
namePrefix: my-
resources: [deployment.yaml]
configMapGenerator: [{ name: settings, literals: [a=b] }]
images: [{ name: nginx, newTag: "2" }]
`,
    );
    const out = await kubectl.run(['apply', '-k', join(kubectl.directory, 'overlay')]);
    expect(out).toMatch(/^configmap\/my-settings-\w+ created\ndeployment.apps\/my-web created\n$/);
    const image = await kubectl.run([
      ...['-n', namespace, 'get', 'deploy', 'my-web', '-o'],
      'jsonpath={.spec.template.spec.containers[0].image}',
    ]);
    expect(image).toBe('nginx:2');
  });

  test('shows a difference and says so with its exit code', async () => {
    const place = ['-n', await kubectl.namespace()];
    await kubectl.apply(deployment('web', 2), ...place);
    const same = await kubectl.attempt(['diff', '-f', '-', ...place], {
      input: deployment('web', 2),
    });
    expect(same).toEqual({ code: 0, stdout: '', stderr: '' });
    const other = await kubectl.attempt(['diff', '-f', '-', ...place], {
      input: deployment('web', 3),
    });
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('-  replicas: 2\n+  replicas: 3\n');
    const onServer = await kubectl.attempt(
      ['diff', '--server-side', '--force-conflicts', '-f', '-', ...place],
      { input: deployment('web', 4) },
    );
    expect(onServer.stdout).toContain('-  replicas: 2\n+  replicas: 4\n');
  });

  test('edits, views and sets the last applied configuration', async () => {
    const place = ['-n', await kubectl.namespace()];
    await kubectl.apply(configMap('m', { a: '1' }), ...place);
    const shown = await kubectl.json([...place, 'apply', 'view-last-applied', 'cm', 'm']);
    expect(shown).toMatchObject({ data: { a: '1' } });
    await kubectl.run([...place, 'apply', 'set-last-applied', '-f', '-'], {
      input: configMap('m', { a: '2' }),
    });
    const changed = await kubectl.json([...place, 'apply', 'view-last-applied', 'cm', 'm']);
    expect(changed).toMatchObject({ data: { a: '2' } });
  });
});
