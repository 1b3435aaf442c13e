import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyObjects } from './applier.ts';
import { type ApplyOptions, applySelectors } from './apply-options.ts';
import { inventoryObjects, inventoryOf } from './inventory.ts';
import { pruneObjects, waitForTermination } from './pruner.ts';

let server: TestServer;
let client: KubeClient;
let namespace: string;

const selectors = applySelectors('kustomize.toolkit.fluxcd.io');

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
});

beforeEach(async () => {
  namespace = await server.namespace();
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

const apply = (objects: readonly DynamicObject[], options: Partial<ApplyOptions> = {}) =>
  applyObjects(client, objects, { fieldManager: 'kustomize-controller', selectors, ...options });

const configMap = (
  name: string,
  data: Record<string, unknown>,
  metadata: DynamicObject['metadata'] = {},
): DynamicObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
});

const read = async (name: string) =>
  (await client.resource(kinds.ConfigMap).get(name, { namespace })).data;

const actions = ({ changes }: Awaited<ReturnType<typeof apply>>) =>
  changes.map(({ subject, action }) => `${subject.split('/').pop()} ${action}`);

describe('applying', () => {
  test('creates, then finds nothing to do, then changes what differs', async () => {
    expect(actions(await apply([configMap('a', { k: '1' })]))).toEqual(['a created']);
    expect(actions(await apply([configMap('a', { k: '1' })]))).toEqual(['a unchanged']);
    const { changes } = await apply([configMap('a', { k: '2' })]);
    expect(changes[0]).toMatchObject({ action: 'configured', paths: ['/data/k'] });
    expect(await read('a')).toEqual({ k: '2' });
  });

  test('a preview tells what would change and changes nothing', async () => {
    const outcome = await apply([configMap('a', { k: '1' })], { isPreview: true });
    expect(actions(outcome)).toEqual(['a created']);
    await expect(read('a')).rejects.toThrow('not found');
  });

  test('takes fields away that somebody set with kubectl, and leaves those of others', async () => {
    await apply([configMap('a', { k: '1' })]);
    const patch = (manager: string, data: object) =>
      client.resource(kinds.ConfigMap).patch('a', { data }, { namespace, fieldManager: manager });
    await patch('kubectl-edit', { byHand: 'x' });
    await patch('some-operator', { byOperator: 'y' });
    await apply([configMap('a', { k: '1' })]);
    expect(await read('a')).toEqual({ k: '1', byOperator: 'y' });
  });

  test('one that is refused is told, and the others are applied', async () => {
    const { changes, failures } = await apply([
      configMap('bad', { k: [1] }),
      configMap('good', { k: '1' }),
      { apiVersion: 'example.com/v1', kind: 'Unknown', metadata: { name: 'u', namespace } },
    ]);
    expect(changes.map(({ subject }) => subject)).toEqual([`ConfigMap/${namespace}/good`]);
    expect(failures.map(({ subject }) => subject).sort()).toEqual([
      `ConfigMap/${namespace}/bad`,
      `Unknown/${namespace}/u`,
    ]);
  });

  test('annotations say what to do with one object', async () => {
    const ssa = (value: string) => ({
      annotations: { 'kustomize.toolkit.fluxcd.io/ssa': value },
    });
    await apply([configMap('once', { k: '1' }, ssa('IfNotPresent'))]);
    const again = await apply([
      configMap('once', { k: '2' }, ssa('IfNotPresent')),
      configMap('never', { k: '2' }, ssa('Ignore')),
    ]);
    expect(actions(again)).toEqual(['never skipped', 'once skipped']);
    expect(await read('once')).toEqual({ k: '1' });
  });

  test('fields that a rule names are left to others', async () => {
    await apply([configMap('a', { mine: '1', theirs: '1' })]);
    const change = { data: { mine: '2', theirs: '2' } };
    await client.resource(kinds.ConfigMap).patch('a', change, { namespace, fieldManager: 'other' });
    const ignoreRules = [{ paths: ['/data/theirs'], target: { kind: 'ConfigMap' } }];
    await apply([configMap('a', { mine: '1', theirs: '1' })], { ignoreRules });
    expect(await read('a')).toEqual({ mine: '1', theirs: '2' });
  });

  test('an object without a namespace gets the default one, or is refused', async () => {
    const { metadata, ...rest } = configMap('a', { k: '1' });
    const bare = { ...rest, metadata: { name: metadata.name ?? '' } } as DynamicObject;
    expect((await apply([bare])).failures).toHaveLength(1);
    await apply([bare], { defaultNamespace: namespace });
    expect(await read('a')).toEqual({ k: '1' });
  });
});

describe('pruning', () => {
  const owner = { owner: 'us' };
  const prune = (objects: readonly DynamicObject[]) =>
    pruneObjects(client, inventoryObjects(inventoryOf(objects)), {
      selectors,
      ownerLabels: owner,
    });

  test('deletes what is ours, and nothing that is not or wants to stay', async () => {
    const ours = configMap('ours', {}, { labels: owner });
    const theirs = configMap('theirs', {}, { labels: { owner: 'them' } });
    const kept = configMap(
      'kept',
      {},
      { labels: owner, annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' } },
    );
    await apply([ours, theirs, kept]);
    const outcome = await prune([ours, theirs, kept, configMap('gone', {})]);
    expect(actions({ ...outcome, failures: [] })).toEqual([
      'theirs skipped',
      'ours deleted',
      'kept skipped',
      'gone absent',
    ]);
    await expect(read('ours')).rejects.toThrow('not found');
    await read('theirs');
    await read('kept');
  });

  test('finds an object by another version when its own is served no more, and none of a kind that is gone', async () => {
    const ours = configMap('ours', {}, { labels: owner });
    await apply([ours]);
    const outcome = await prune([
      { ...ours, apiVersion: 'v0' },
      { ...ours, apiVersion: 'example.com/v1', kind: 'Widget' },
    ]);
    expect(outcome.failures).toEqual([]);
    expect(actions({ ...outcome, failures: [] })).toEqual(['ours absent', 'ours deleted']);
    await expect(read('ours')).rejects.toThrow('not found');
  });

  test('only tells of it in a preview, with what there is', async () => {
    const ours = configMap('ours', { k: '1' }, { labels: owner });
    await apply([ours]);
    const { changes } = await pruneObjects(client, inventoryObjects(inventoryOf([ours])), {
      selectors,
      ownerLabels: owner,
      isPreview: true,
    });
    expect(changes[0]).toMatchObject({ action: 'deleted', before: { data: { k: '1' } } });
    expect(await read('ours')).toEqual({ k: '1' });
  });

  test('tells of one that it may not see, and leaves it', async () => {
    const held = configMap('held', {}, { labels: owner });
    await apply([held]);
    const anonymous = new KubeClient({ server: server.url, namespace: 'default' });
    const refused = await pruneObjects(anonymous, inventoryObjects(inventoryOf([held])), {
      selectors,
      ownerLabels: owner,
    });
    await anonymous.close();
    expect(refused.changes).toEqual([]);
    expect(refused.failures.map(({ message }) => message)).toEqual([
      expect.stringMatching(/ConfigMap\/.*\/held delete failed: /),
    ]);
    await read('held');
  });

  test('is waited for until all is gone, and says what is not', async () => {
    const held = configMap('held', {}, { labels: owner, finalizers: ['example.com/hold'] });
    await apply([held]);
    await prune([held]);
    const stale = inventoryObjects(inventoryOf([held]));
    const left = await waitForTermination(client, stale, { timeoutMs: 0 });
    expect(left.map(({ name }) => name)).toEqual(['held']);
    await client
      .resource(kinds.ConfigMap)
      .patch('held', { metadata: { finalizers: null } }, { namespace });
    expect(await waitForTermination(client, stale, { timeoutMs: 30_000 })).toEqual([]);
    const unserved = stale.map((one) => ({ ...one, group: 'example.com', kind: 'Widget' }));
    expect(await waitForTermination(client, unserved, { timeoutMs: 0 })).toEqual([]);
  });
});

describe('an account that may create and patch, and not read', () => {
  const writerOf = async (verbs: readonly string[]): Promise<KubeClient> => {
    await client.resource(kinds.Role).create({
      metadata: { name: 'writer', namespace },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: [...verbs] }],
    });
    await client.resource(kinds.RoleBinding).create({
      metadata: { name: 'writer', namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writer' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `u-${namespace}` }],
    });
    return new KubeClient({ ...client.config, impersonation: { user: `u-${namespace}` } });
  };

  test('creates, finds nothing to do, changes what differs, and leaves alone what is marked', async () => {
    const writer = await writerOf(['create', 'patch']);
    try {
      const options = { fieldManager: 'kustomize-controller', selectors };
      const creating: string[] = [];
      const as = async (object: DynamicObject) => {
        const outcome = await applyObjects(writer, [object], {
          ...options,
          onCreating: async (changes) => {
            creating.push(...changes.map(({ subject }) => subject));
          },
        });
        expect(outcome.failures).toEqual([]);
        return actions(outcome);
      };
      expect(await as(configMap('a', { k: '1' }))).toEqual(['a created']);
      expect(creating).toHaveLength(1);
      expect(await as(configMap('a', { k: '1' }))).toEqual(['a unchanged']);
      expect(await as(configMap('a', { k: '2' }))).toEqual(['a configured']);
      expect(await read('a')).toEqual({ k: '2' });
      expect(creating).toHaveLength(1);
      const maps = client.resource(kinds.ConfigMap);
      await maps.patch('a', { data: { k: 'drift' } }, { namespace });
      expect(await as(configMap('a', { k: '2' }))).toEqual(['a configured']);
      expect(await read('a')).toEqual({ k: '2' });
      const labels = { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' };
      await maps.patch('a', { metadata: { labels }, data: { k: 'mine' } }, { namespace });
      expect(await as(configMap('a', { k: '2' }))).toEqual(['a skipped']);
      expect(await read('a')).toEqual({ k: 'mine' });
      const once = { annotations: { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' } };
      expect(await as(configMap('b', { k: '1' }, once))).toEqual(['b created']);
      expect(await as(configMap('b', { k: '2' }, once))).toEqual(['b skipped']);
    } finally {
      await writer.close();
    }
  });

  test('one that may not even patch hears which verb it lacks', async () => {
    const writer = await writerOf(['create']);
    try {
      const { failures } = await applyObjects(writer, [configMap('a', { k: '1' })], {
        fieldManager: 'kustomize-controller',
        selectors,
      });
      expect(failures[0]?.message).toContain('patch');
    } finally {
      await writer.close();
    }
  });
});
