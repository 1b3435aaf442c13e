import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { debianKubectl } from './debian-kubectl.ts';
import { configMap, deployment, eventually, Kubectl } from './kubectl.ts';

const program = debianKubectl();

/** What an old kubectl does is asked for in other ways than by a new one: these are its own. */
describe.runIf(program !== undefined)("Debian's kubectl", () => {
  let kubectl: Kubectl;
  let namespace: string;
  const run = (...args: string[]) => kubectl.run(['-n', namespace, ...args]);
  const attempt = (args: string[], input = '') =>
    kubectl.attempt(['-n', namespace, ...args], { input });

  beforeAll(async () => {
    kubectl = await Kubectl.start({}, program);
    namespace = await kubectl.namespace();
  });
  afterAll(() => kubectl?.stop());

  test('is the old one', async () => {
    expect(await kubectl.json(['version'])).toMatchObject({
      clientVersion: { gitVersion: expect.stringMatching(/^v1\.\d\d\./) },
      serverVersion: { gitVersion: expect.stringMatching(/^v1\.36/) },
    });
  });

  test('applies on both sides', async () => {
    const apply = (text: string, ...args: string[]) => attempt(['apply', '-f', '-', ...args], text);
    expect((await apply(deployment('web'))).stdout).toBe('deployment.apps/web created\n');
    expect((await apply(deployment('web'))).stdout).toBe('deployment.apps/web unchanged\n');
    expect((await apply(deployment('web', 3))).stdout).toBe('deployment.apps/web configured\n');
    await run('patch', 'deploy', 'web', '-p', '{"spec":{"replicas":4}}');
    const conflict = await apply(deployment('web'), '--server-side');
    expect(conflict.stderr).toContain(
      'conflict with "kubectl-patch" using apps/v1: .spec.replicas',
    );
    expect((await apply(deployment('web'), '--server-side', '--force-conflicts')).stdout).toBe(
      'deployment.apps/web serverside-applied\n',
    );
    const diff = await attempt(['diff', '-f', '-'], deployment('web').replace('1.27', '1.28'));
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain('nginx:1.28');
    const wrong = await apply(deployment('other').replace('replicas:', 'replicsa:'));
    expect(wrong.stderr).toContain('unknown field "replicsa"');
  });

  test('reads, describes and explains', async () => {
    expect(await run('get', 'deploy', 'web', '-o', 'wide')).toMatch(/web\s+0\/2\s.*nginx:1.27/);
    expect(await run('get', 'deploy', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('2');
    expect(await run('get', 'deploy', 'web', '-o', 'yaml')).toContain('kind: Deployment');
    expect(await run('describe', 'deploy', 'web')).toMatch(/StrategyType:\s+RollingUpdate/);
    expect(await run('explain', 'deployment.spec.strategy')).toContain('rollingUpdate');
    expect(await run('api-resources', '--api-group=apps')).toMatch(/deployments\s+deploy/);
    const watch = kubectl.follow(['-n', namespace, 'get', 'cm', '-w']);
    await eventually('the first state', () => watch.output().includes('kube-root-ca.crt'));
    await run('create', 'configmap', 'seen', '--from-literal=a=b');
    await eventually('the new one', () => watch.output().includes('seen'));
    await watch.stop();
  });

  test('changes in each way', async () => {
    await run('scale', 'deploy', 'web', '--replicas=3');
    await run('label', 'deploy', 'web', 'tier=front');
    await run('annotate', 'deploy', 'web', 'note=hi');
    const json = '[{"op":"replace","path":"/spec/replicas","value":5}]';
    await run('patch', 'deploy', 'web', '--type=json', '-p', json);
    await run('patch', 'deploy', 'web', '--type=merge', '-p', '{"spec":{"minReadySeconds":1}}');
    expect(await run('get', 'deploy', '-l', 'tier=front', '-o', 'name')).toContain('web');
    const editor = await kubectl.file('old.sh', '#!/bin/sh\nsed -i s/before/after/ "$1"\n', 0o700);
    await attempt(['apply', '-f', '-'], configMap('edited', { a: 'before' }));
    const environment = { KUBE_EDITOR: editor };
    await kubectl.run(['-n', namespace, 'edit', 'cm', 'edited'], { environment });
    expect(await run('get', 'cm', 'edited', '-o', 'jsonpath={.data.a}')).toBe('after');
    const file = await kubectl.file('replace.json', configMap('edited', { b: '1' }));
    expect(await run('replace', '--force', '-f', file)).toContain('configmap/edited replaced');
  });

  test('follows a rollout, waits, asks for rights and builds', async () => {
    const late = await attempt(['wait', '--for=condition=Available', 'deploy/web', '--timeout=1s']);
    expect(late.stderr).toContain('timed out waiting for the condition');
    const rollout = kubectl.follow(['-n', namespace, 'rollout', 'status', 'deploy/web']);
    await eventually('the rollout is waited for', () => rollout.output().includes('Waiting'));
    await rollout.stop();
    expect((await attempt(['auth', 'can-i', 'get', 'pods', '--as=jane'])).stdout).toBe('no\n');
    await mkdir(join(kubectl.directory, 'kz'), { recursive: true });
    await kubectl.file('kz/d.yaml', deployment('built'));
    await kubectl.file('kz/kustomization.yaml', 'resources: [d.yaml]\nnamePrefix: k-\n');
    expect(await run('apply', '-k', join(kubectl.directory, 'kz'))).toBe(
      'deployment.apps/k-built created\n',
    );
  });

  test.each(['background', 'foreground', 'orphan'])('deletes with cascade %s', async (cascade) => {
    await run('create', 'configmap', 'gone');
    expect(await run('delete', 'cm', 'gone', `--cascade=${cascade}`)).toContain('"gone" deleted');
  });
});
