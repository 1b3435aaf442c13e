import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../until.ts';
import { configMap, deployment, Kubectl, widgetDefinition } from './kubectl.ts';
import { kubectlPrograms } from './kubectl-programs.ts';

describe.each(kubectlPrograms())('$name reads', ({ program, has }) => {
  let kubectl: Kubectl;
  let place: string[];
  beforeAll(async () => {
    kubectl = await Kubectl.start({}, program);
    place = ['-n', await kubectl.namespace()];
    await kubectl.apply(deployment('web'), ...place);
    await kubectl.apply(configMap('settings', { a: '1' }), ...place);
  });
  afterAll(() => kubectl?.stop());

  test('prints a table', async () => {
    const lines = (await kubectl.run([...place, 'get', 'deployments'])).trim().split('\n');
    expect(lines[0]?.split(/\s{2,}/)).toEqual(['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE']);
    expect(lines[1]).toMatch(/^web\s+0\/2\s+0\s+0\s+\d+s$/);
  });

  test('prints a wide table, with labels', async () => {
    const out = await kubectl.run([...place, 'get', 'deploy', '-o', 'wide', '--show-labels']);
    expect(out).toMatch(/CONTAINERS\s+IMAGES\s+SELECTOR\s+LABELS/);
    expect(out).toMatch(/web\s+nginx:1.27\s+app=web\s+app=web\n/);
  });

  test('prints JSON and YAML', async () => {
    const found = await kubectl.json([...place, 'get', 'cm/settings']);
    expect(found).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
    if (has('hides managed fields')) {
      expect(found).not.toHaveProperty('metadata.managedFields');
    }
    const list = await kubectl.json([...place, 'get', 'cm,deploy']);
    expect(list).toMatchObject({ kind: 'List', items: { length: 3 } });
    expect(await kubectl.run([...place, 'get', 'cm', 'settings', '-o', 'yaml'])).toMatch(
      /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\nmetadata:\n/,
    );
  });

  test('prints names, paths, templates and columns', async () => {
    const get = (output: string) => kubectl.run([...place, 'get', 'deploy', 'web', '-o', output]);
    expect(await get('name')).toBe('deployment.apps/web\n');
    expect(await get('jsonpath={.spec.replicas} {.metadata.name}')).toBe('2 web');
    expect(await get('go-template={{.kind}}')).toBe('Deployment');
    expect(
      (await get('custom-columns=N:.metadata.name,I:.spec.template.spec.containers[*].image'))
        .split('\n')
        .map((line) => line.split(/\s+/).filter(Boolean)),
    ).toEqual([['N', 'I'], ['web', 'nginx:1.27'], []]);
  });

  test('shows managed fields when asked', async () => {
    const out = await kubectl.run([
      ...[...place, 'get', 'cm', 'settings', '-o', 'yaml'],
      ...(has('hides managed fields') ? ['--show-managed-fields'] : []),
    ]);
    expect(out).toContain('f:data:');
    expect(out).toContain('manager: kubectl-client-side-apply');
  });

  test('selects by label and field, sorts, and says when nothing is there', async () => {
    const get = (...args: string[]) => kubectl.attempt([...place, 'get', ...args]);
    expect((await get('deploy', '-l', 'app in (web,api),app!=x', '-o', 'name')).stdout).toBe(
      'deployment.apps/web\n',
    );
    expect(
      (await get('cm', '--field-selector', 'metadata.name=settings', '-o', 'name')).stdout,
    ).toBe('configmap/settings\n');
    const sorted = await get('cm', '--sort-by=.metadata.name', '--no-headers');
    expect(sorted.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'kube-root-ca.crt',
      'settings',
      '',
    ]);
    const none = await get('deploy', '-l', 'app=none');
    expect(none).toEqual({
      code: 0,
      stdout: '',
      stderr: `No resources found in ${place[1]} namespace.\n`,
    });
    const missing = await get('cm', 'missing');
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error from server (NotFound): configmaps "missing" not found\n',
    });
    expect((await get('nonsense')).stderr).toBe(
      'error: the server doesn\'t have a resource type "nonsense"\n',
    );
  });

  test('lists in pages and across namespaces', async () => {
    const all = await kubectl.run(['get', 'cm', '-A', '--chunk-size=1', '-o', 'name']);
    expect(all.split('\n').filter((line) => line === 'configmap/kube-root-ca.crt').length).toBe(
      (await kubectl.run(['get', 'ns', '-o', 'name'])).trim().split('\n').length,
    );
    expect(await kubectl.run([...place, 'get', 'all'])).toContain('deployment.apps/web');
  });

  test('watches', async () => {
    const watch = kubectl.follow([...place, 'get', 'cm', '-w', '--output-watch-events']);
    const table = kubectl.follow([...place, 'get', 'cm', 'settings', '-w']);
    try {
      await until('the first state', () => /ADDED\s+settings\s+1\s/.test(watch.output()));
      await until('the first row', () => /settings\s+1\s/.test(table.output()));
      await kubectl.run([...place, 'patch', 'cm', 'settings', '-p', '{"data":{"a":"2","b":"3"}}']);
      await until('the change', () => /MODIFIED\s+settings\s+2\s/.test(watch.output()));
      await until('the changed row', () => /settings\s+2\s/.test(table.output()));
      await kubectl.run([...place, 'create', 'configmap', 'gone', '--from-literal=a=9']);
      await kubectl.run([...place, 'delete', 'cm', 'gone']);
      await until('the removal', () => /DELETED\s+gone\s+1\s/.test(watch.output()));
      expect(table.output()).not.toContain('gone');
    } finally {
      await watch.stop();
      await table.stop();
    }
  });

  test('describes', async () => {
    const out = await kubectl.run([...place, 'describe', 'deployment', 'web']);
    expect(out).toMatch(/Name:\s+web\n/);
    expect(out).toMatch(/Replicas:\s+2 desired \| 0 updated \| 0 total \| 0 available/);
    expect(out).toMatch(/StrategyType:\s+RollingUpdate/);
    expect(await kubectl.run([...place, 'describe', 'cm', 'settings'])).toContain(
      has('newer words') ? 'BinaryData' : 'Data',
    );
    expect(await kubectl.run(['describe', 'namespace', place[1] as string])).toMatch(
      /Status:\s+Active/,
    );
    expect(await kubectl.run(['describe', 'service', 'kubernetes'])).toMatch(
      /Endpoints:\s+127\.0\.0\.1:\d+|Endpoints:/,
    );
  });

  test('explains built-in kinds', async () => {
    const out = await kubectl.run(['explain', 'deployment.spec.strategy']);
    if (has('explains from v3')) {
      expect(out).toMatch(/GROUP:\s+apps\nKIND:\s+Deployment\nVERSION:\s+v1\n/);
      expect(out).toMatch(/FIELD: strategy <DeploymentStrategy>/);
      expect(out).toMatch(/rollingUpdate\t<RollingUpdateDeployment>/);
    } else {
      expect(out).toMatch(/KIND:\s+Deployment\nVERSION:\s+apps\/v1\n/);
      expect(out).toMatch(/RESOURCE: strategy <Object>/);
      expect(out).toMatch(/rollingUpdate\t<Object>/);
    }
    expect(await kubectl.run(['explain', 'pod', '--recursive'])).toContain('hostAliases');
  });

  test('lists resources and versions', async () => {
    const out = await kubectl.run(['api-resources']);
    expect(out).toMatch(/deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/);
    const wide = await kubectl.run([
      'api-resources',
      '--api-group=rbac.authorization.k8s.io',
      '-o',
      'wide',
    ]);
    expect(wide).toMatch(
      /roles\s+rbac.authorization.k8s.io\/v1\s+true\s+Role\s+\[?create[, ]delete/,
    );
    expect((await kubectl.run(['api-versions'])).split('\n')).toContain('networking.k8s.io/v1');
    expect(await kubectl.json(['version'])).toMatchObject({
      serverVersion: { gitVersion: expect.stringMatching(/^v1\.36/) },
    });
    expect(await kubectl.run(['cluster-info'])).toContain('Kubernetes control plane');
    expect(await kubectl.run(['get', '--raw', '/readyz'])).toBe('ok');
  });

  test('serves custom kinds like the others', async () => {
    await kubectl.apply(widgetDefinition);
    await kubectl.run(['wait', '--for=condition=Established', 'crd/widgets.example.com']);
    const widget = (size: unknown, more = '') =>
      `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":${JSON.stringify(size)}${more}}}`;
    const attempt = (manifest: string) =>
      kubectl.attempt([...place, 'apply', '-f', '-'], { input: manifest });
    expect((await attempt(widget(3))).stdout).toBe('widget.example.com/w created\n');
    expect((await attempt(widget(3))).stdout).toBe('widget.example.com/w unchanged\n');
    // An old program judges by the schema itself, in words of its own.
    const byServer = has('validates on the server');
    expect((await attempt(widget('x'))).stderr).toContain(
      byServer ? 'spec.size: Invalid value: "string"' : 'got "string", expected "integer"',
    );
    expect((await attempt(widget(200))).stderr).toContain('size has to be under 100');
    expect((await attempt(widget(3, ',"colour":"blue"'))).stderr).toContain(
      'spec.colour: Unsupported value: "blue": supported values: "red", "green"',
    );
    expect((await attempt(widget(3, ',"other":1'))).stderr).toContain(
      byServer
        ? 'unknown field "spec.other"'
        : 'unknown field "other" in com.example.v1.Widget.spec',
    );
    const parts = ',"parts":[{"name":"a","weight":1}]';
    expect(
      await kubectl.apply(widget(3, parts), ...place, '--server-side', '--field-manager=other'),
    ).toBe('widget.example.com/w serverside-applied\n');
    expect((await kubectl.run([...place, 'get', 'wd', '-o', 'wide'])).split('\n')[1]).toMatch(
      /^w\s+3\s+red$/,
    );
    await kubectl.run([...place, 'scale', 'widget', 'w', '--replicas=7']);
    await kubectl.writeStatus(`/apis/example.com/v1/namespaces/${place[1]}/widgets/w`, { size: 7 });
    expect(await kubectl.json([...place, 'get', 'wd', 'w'])).toMatchObject({
      spec: { size: 7, colour: 'red', parts: [{ name: 'a' }] },
      status: { size: 7 },
    });
    expect(await kubectl.run(['explain', 'widget.spec'])).toMatch(/How large it is\./);
    expect(await kubectl.run(['explain', 'widget.spec.parts'])).toMatch(/weight\t\s*<integer>/);
    expect(await kubectl.run(['api-resources', '--api-group=example.com'])).toMatch(
      /widgets\s+wd\s+example.com\/v1\s+true\s+Widget/,
    );
    expect(await kubectl.run([...place, 'get', 'all'])).toContain('widget.example.com/w');
    await kubectl.run(['delete', 'crd', 'widgets.example.com']);
    expect((await kubectl.attempt([...place, 'get', 'widgets'])).stderr).toContain(
      'the server could not find the requested resource',
    );
  });
});
