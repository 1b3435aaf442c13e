import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Running } from '../real/processes.ts';
import { until } from '../until.ts';
import { configMap, deployment, Kubectl } from './kubectl.ts';
import { kubectlPrograms } from './kubectl-programs.ts';

describe.each(kubectlPrograms())('$name changes', ({ program, has }) => {
  let kubectl: Kubectl;
  beforeAll(async () => {
    kubectl = await Kubectl.start({}, program);
  });
  afterAll(() => kubectl?.stop());

  const inNamespace = async () => {
    const namespace = await kubectl.namespace();
    const run = (...args: string[]) => kubectl.run(['-n', namespace, ...args]);
    return { namespace, run, place: ['-n', namespace] };
  };

  test.each([
    ['configmap a --from-literal=k=v', 'configmap/a'],
    ['secret generic a --from-literal=k=v', 'secret/a'],
    ['secret tls a', 'error'],
    ['deployment a --image=nginx --replicas=0', 'deployment.apps/a'],
    ['serviceaccount a', 'serviceaccount/a'],
    ['role a --verb=get,list --resource=pods', 'role.rbac.authorization.k8s.io/a'],
    ['rolebinding a --role=a --user=u', 'rolebinding.rbac.authorization.k8s.io/a'],
    ['ingress a --class=kong --rule=host/path*=svc:80', 'ingress.networking.k8s.io/a'],
    ['service clusterip a --tcp=80:8080', 'service/a'],
    ['service nodeport a --tcp=80', 'service/a'],
    ['service externalname a --external-name=example.com', 'service/a'],
    ['job a --image=busybox', 'job.batch/a'],
    ['cronjob a --image=busybox --schedule=@daily', 'cronjob.batch/a'],
    ['quota a --hard=cpu=1,pods=2', 'resourcequota/a'],
    ['pdb a --selector=a=b --min-available=50%', 'poddisruptionbudget.policy/a'],
  ])('create %s', async (args, created) => {
    const { place } = await inNamespace();
    const outcome = await kubectl.attempt([...place, 'create', ...args.split(' ')]);
    const isOld =
      (args.startsWith('cronjob') && !has('create cronjob')) ||
      (args.startsWith('pdb') && !has('create pdb'));
    if (isOld) expect(outcome.stderr).toMatch(/no matches for kind|could not find the requested/);
    else if (created === 'error') expect(outcome.code).toBe(1);
    else expect(outcome).toEqual({ code: 0, stdout: `${created} created\n`, stderr: '' });
  });

  test('creates what has no namespace', async () => {
    expect(await kubectl.run(['create', 'clusterrole', 'a', '--verb=get', '--resource=pods'])).toBe(
      'clusterrole.rbac.authorization.k8s.io/a created\n',
    );
    expect(
      await kubectl.run(['create', 'clusterrolebinding', 'a', '--clusterrole=a', '--user=u']),
    ).toBe('clusterrolebinding.rbac.authorization.k8s.io/a created\n');
    expect(await kubectl.run(['create', 'priorityclass', 'a', '--value=3'])).toBe(
      'priorityclass.scheduling.k8s.io/a created\n',
    );
  });

  test('creates from a file once', async () => {
    const { place } = await inNamespace();
    const create = () =>
      kubectl.attempt([...place, 'create', '-f', '-'], { input: configMap('m', {}) });
    expect((await create()).stdout).toBe('configmap/m created\n');
    expect((await create()).stderr).toContain(
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "m" already exists',
    );
  });

  test('runs, exposes and autoscales', async () => {
    const { run } = await inNamespace();
    expect(await run('run', 'p', '--image=nginx', '--port=80', '--labels=a=b')).toBe(
      'pod/p created\n',
    );
    expect(await run('expose', 'pod', 'p', '--port=80', '--name=s')).toBe('service/s exposed\n');
    await run('create', 'deployment', 'd', '--image=nginx');
    expect(await run('autoscale', 'deployment', 'd', '--max=3')).toContain('autoscaled\n');
    expect(await run('set', 'image', 'deployment/d', 'nginx=nginx:2')).toContain('image updated');
    expect(await run('set', 'env', 'deployment/d', 'A=b')).toContain('env updated');
  });

  test.runIf(has('auth whoami'))('makes a token that the server accepts', async () => {
    const { namespace, run } = await inNamespace();
    const token = (await run('create', 'token', 'default')).trim();
    const who = await kubectl.run(['auth', 'whoami', '--token', token, '-o', 'json']);
    expect(JSON.parse(who)).toMatchObject({
      status: { userInfo: { username: `system:serviceaccount:${namespace}:default` } },
    });
  });

  test('edits through an editor', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(configMap('m', { a: 'before' }), ...place);
    const editor = await kubectl.file(
      'editor.sh',
      '#!/bin/sh\nsed -i s/before/after/ "$1"\n',
      0o700,
    );
    const environment = { KUBE_EDITOR: editor };
    const edit = () => kubectl.run([...place, 'edit', 'configmap', 'm'], { environment });
    expect(await edit()).toBe('configmap/m edited\n');
    expect(await run('get', 'cm', 'm', '-o', 'jsonpath={.data.a}')).toBe('after');
    expect(
      await kubectl.attempt([...place, 'edit', 'configmap', 'm'], { environment }),
    ).toMatchObject({
      code: 0,
      stderr: 'Edit cancelled, no changes made.\n',
    });
  });

  test('patches in each way', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(deployment('web'), ...place);
    const patch = (type: string, body: unknown) =>
      run('patch', 'deploy', 'web', `--type=${type}`, '-p', JSON.stringify(body));
    const containers = [{ name: 'side', image: 's' }];
    const below = (spec: unknown) => ({ spec: { template: { spec } } });
    expect(await patch('strategic', below({ containers }))).toBe('deployment.apps/web patched\n');
    const images = () =>
      run('get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[*].image}');
    expect((await images()).split(' ').sort()).toEqual(['nginx:1.27', 's']);
    expect(
      await patch('json', [
        { op: 'test', path: '/spec/replicas', value: 2 },
        { op: 'replace', path: '/spec/replicas', value: 9 },
      ]),
    ).toBe('deployment.apps/web patched\n');
    expect(await patch('merge', below({ containers }))).toBe('deployment.apps/web patched\n');
    expect(await images()).toBe('s');
    expect(await patch('merge', { spec: { replicas: 9 } })).toBe(
      'deployment.apps/web patched (no change)\n',
    );
    const failed = await kubectl.attempt([
      ...[...place, 'patch', 'deploy', 'web', '--type=json', '-p'],
      '[{"op":"remove","path":"/spec/nothing"}]',
    ]);
    expect(failed.stderr).toContain('The request is invalid');
  });

  test.runIf(has('create token and --subresource'))('patches and shows a subresource', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(deployment('web'), ...place);
    const status = { status: { replicas: 2, readyReplicas: 2, updatedReplicas: 2 } };
    await run('patch', 'deploy', 'web', '--subresource=status', '-p', JSON.stringify(status));
    expect(await run('get', 'deploy', 'web', '--no-headers')).toMatch(/^web\s+2\/2\s+2\s+0\s/);
    expect(await run('get', 'deploy', 'web', '--subresource=scale')).toMatch(/web\s+2\s+2\s/);
  });

  test('labels and annotates', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(configMap('m', {}), ...place);
    expect(await run('label', 'cm', 'm', 'a=1')).toBe('configmap/m labeled\n');
    const refused = await kubectl.attempt([...place, 'label', 'cm', 'm', 'a=2']);
    expect(refused.stderr).toContain("'a' already has a value (1), and --overwrite is false");
    expect(await run('label', 'cm', 'm', 'a=2', '--overwrite')).toBe('configmap/m labeled\n');
    expect(await run('get', 'cm', '-l', 'a=2', '-o', 'name')).toBe('configmap/m\n');
    expect(await run('label', 'cm', 'm', 'a-')).toBe(
      has('newer words') ? 'configmap/m unlabeled\n' : 'configmap/m labeled\n',
    );
    expect(await run('annotate', 'cm', 'm', 'note=hello')).toBe('configmap/m annotated\n');
    expect(await run('get', 'cm', 'm', '-o', 'jsonpath={.metadata.annotations.note}')).toBe(
      'hello',
    );
    expect(await run('annotate', 'cm', 'm', 'note-')).toBe('configmap/m annotated\n');
  });

  test('scales, and only from the size that was expected', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(deployment('web', 2), ...place);
    expect(await run('scale', 'deploy/web', '--replicas=3')).toBe('deployment.apps/web scaled\n');
    const refused = await kubectl.attempt([
      ...[...place, 'scale', 'deploy/web', '--replicas=5', '--current-replicas=2'],
    ]);
    expect(refused.stderr).toContain('Expected replicas to be 2, was 3');
    expect(await run('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
  });

  test('follows a rollout and restarts it', async () => {
    const { namespace, run, place } = await inNamespace();
    await kubectl.apply(deployment('web', 1), ...place);
    const following = kubectl.follow([
      ...place,
      'rollout',
      'status',
      'deploy/web',
      '--timeout=30s',
    ]);
    await until('the rollout is waited for', () => following.output().includes('Waiting'));
    const status = {
      observedGeneration: 1,
      ...{ replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
      conditions: [{ type: 'Available', status: 'True' }],
    };
    await kubectl.writeStatus(`/apis/apps/v1/namespaces/${namespace}/deployments/web`, status);
    await until('the rollout is done', () =>
      following.output().includes('deployment "web" successfully rolled out'),
    );
    await following.stop();
    expect(await run('wait', '--for=condition=Available', 'deploy/web', '--timeout=10s')).toBe(
      'deployment.apps/web condition met\n',
    );
    expect(await run('rollout', 'restart', 'deploy/web')).toContain('restarted');
    expect(await run('rollout', 'pause', 'deploy/web')).toContain('paused');
    expect(await run('rollout', 'resume', 'deploy/web')).toContain('resumed');
    expect(await run('get', 'deploy', 'web', '-o', 'jsonpath={.metadata.generation}')).toBe('4');
  });

  test('waits for a field, a condition, a creation and a deletion', async () => {
    const { run, place } = await inNamespace();
    const wait = (what: string) =>
      kubectl.follow([...place, 'wait', what, 'cm/m', '--timeout=20s']);
    const isMet = (following: Running) => () =>
      following.output().includes('configmap/m condition met');
    const created = has('wait --for=create') ? wait('--for=create') : undefined;
    await kubectl.apply(configMap('m', { a: '1' }), ...place);
    if (created !== undefined) await until('created', isMet(created));
    await created?.stop();
    const waiting = has('wait --for=jsonpath') ? wait('--for=jsonpath={.data.a}=2') : undefined;
    const deleted = wait('--for=delete');
    await run('patch', 'cm', 'm', '-p', '{"data":{"a":"2"}}');
    if (waiting !== undefined) await until('the field', isMet(waiting));
    await waiting?.stop();
    await run('delete', 'cm', 'm');
    await until('the removal', isMet(deleted));
    await deleted.stop();
    const late = await kubectl.attempt([
      ...[...place, 'wait', '--for=condition=Ready', 'cm/kube-root-ca.crt', '--timeout=1s'],
    ]);
    expect(late.stderr).toContain('timed out waiting for the condition');
  });

  test.each(['background', 'foreground', 'orphan'])('deletes with cascade %s', async (cascade) => {
    const { namespace, run, place } = await inNamespace();
    await kubectl.apply(configMap('owner', {}), ...place);
    const uid = await run('get', 'cm', 'owner', '-o', 'jsonpath={.metadata.uid}');
    const owner = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid,
      blockOwnerDeletion: true,
    };
    const dependent = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'dependent', namespace, ownerReferences: [owner] },
    };
    await kubectl.run(['create', '-f', '-'], { input: JSON.stringify(dependent) });
    expect(await run('delete', 'cm', 'owner', `--cascade=${cascade}`)).toContain(
      'configmap "owner" deleted',
    );
    const left = async () =>
      (await run('get', 'cm', 'dependent', '--ignore-not-found', '-o', 'json')) as string;
    if (cascade === 'orphan') {
      const text = await until('the reference is gone', async () => {
        const found = await left();
        return !found.includes('ownerReferences') && found;
      });
      expect(text).toContain('"dependent"');
    } else {
      await until('the dependent is gone', async () => (await left()) === '');
    }
  });

  test('deletes by label, by file, and what is not there', async () => {
    const { run, place } = await inNamespace();
    await kubectl.apply(configMap('m', {}), ...place);
    await run('label', 'cm', 'm', 'a=1');
    expect(await run('delete', 'cm', '-l', 'a=1')).toMatch(/^configmap "m" deleted/);
    await kubectl.apply(configMap('m', {}), ...place);
    expect(
      await kubectl.run([...place, 'delete', '-f', '-'], { input: configMap('m', {}) }),
    ).toMatch(/^configmap "m" deleted/);
    expect((await kubectl.attempt([...place, 'delete', 'cm', 'm'])).code).toBe(1);
    expect(await run('delete', 'cm', 'm', '--ignore-not-found')).toBe('');
    expect(await run('delete', 'cm', '--all', '--dry-run=server')).toContain('server dry run');
  });

  test('deletes a namespace with all that is in it', async () => {
    const { namespace, place } = await inNamespace();
    await kubectl.apply(deployment('web'), ...place);
    expect(await kubectl.run(['delete', 'namespace', namespace])).toMatch(/deleted/);
    expect((await kubectl.attempt(['get', 'ns', namespace])).stderr).toContain('NotFound');
    expect((await kubectl.attempt([...place, 'get', 'deploy'])).stdout).toBe('');
  });

  test('replaces, also by force', async () => {
    const { run, place } = await inNamespace();
    await kubectl.run([...place, 'create', '-f', '-'], { input: configMap('m', { a: '1' }) });
    const uid = () => run('get', 'cm', 'm', '-o', 'jsonpath={.metadata.uid}');
    const first = await uid();
    const input = configMap('m', { b: '2' });
    expect(await kubectl.run([...place, 'replace', '-f', '-'], { input })).toBe(
      'configmap/m replaced\n',
    );
    expect(await uid()).toBe(first);
    expect(await run('get', 'cm', 'm', '-o', 'jsonpath={.data}')).toBe('{"b":"2"}');
    const file = await kubectl.file('replace.json', input);
    expect(await run('replace', '--force', '-f', file)).toContain('configmap/m replaced\n');
    expect(await uid()).not.toBe(first);
  });

  test('asks what others may do', async () => {
    const { namespace, run, place } = await inNamespace();
    await run('create', 'role', 'reader', '--verb=get,list', '--resource=pods');
    await run('create', 'rolebinding', 'reader', '--role=reader', '--user=jane');
    const can = (...args: string[]) => kubectl.attempt([...place, 'auth', 'can-i', ...args]);
    expect(await can('get', 'pods', '--as=jane')).toMatchObject({ code: 0, stdout: 'yes\n' });
    expect(await can('delete', 'pods', '--as=jane')).toMatchObject({ code: 1, stdout: 'no\n' });
    expect(await can('get', 'pods', '--as=jane', '-n', 'default')).toMatchObject({ code: 1 });
    expect(await can('*', '*')).toMatchObject({ code: 0, stdout: 'yes\n' });
    expect((await can('--list', '--as=jane')).stdout).toMatch(/pods\s+\[\]\s+\[\]\s+\[get list\]/);
    const refused = await kubectl.attempt([...place, 'get', 'secrets', '--as=jane']);
    expect(refused.stderr).toBe(
      `Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "${namespace}"\n`,
    );
    expect((await kubectl.attempt([...place, 'get', 'pods', '--as=jane'])).code).toBe(0);
  });
});
