import { describe, expect, test } from 'vitest';
import { allRights, rightsTo } from '../access/read-rights.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { shownTo } from './guarded.ts';
import { Journal } from './journal.ts';
import { maskedObject, maskedStates } from './masked-object.ts';

const object = (kind: string, namespace: string, name: string, group = ''): ShownObject => ({
  group,
  version: 'v1',
  kind,
  namespace,
  name,
});
const apps = object('Kustomization', 'flux-system', 'apps', 'kustomize.toolkit.fluxcd.io');
const anna = rightsTo(new Set(['/Service/anna']));
const commit = 'c'.repeat(40);
const canary = 'canary-7Xq';

describe('the journal', () => {
  const journal = new Journal(1);
  const [[id, row] = []] = journal.add({
    kind: 'apply',
    at: 5,
    subject: apps,
    revision: `main@sha1:${commit}`,
    objects: [
      { object: object('Service', 'anna', 'one'), action: 'created' },
      { object: object('Service', 'bert', 'two'), action: 'created' },
    ],
  });

  test('tells everybody what is theirs', () => {
    expect(shownTo(row, allRights)).toMatchObject({
      title: 'applied 2 objects of apps',
      namespaces: ['flux-system', 'anna', 'bert'],
      origin: { commit },
    });
    const hers = shownTo(row, anna);
    expect(hers).toMatchObject({
      title: 'created Service anna/one',
      namespaces: ['anna'],
    });
    expect(JSON.stringify(hers)).not.toMatch(/bert|two|apps|flux-system/);
    expect(shownTo(row, rightsTo(new Set(['/Service/carl'])))).toBeUndefined();
  });

  test('shows details and commits likewise', () => {
    expect(journal.detail(id!, anna)?.objects.map((each) => each.object.name)).toEqual(['one']);
    expect(journal.detail('gone', anna)).toBeUndefined();
    expect(journal.ofCommit(commit, allRights)).toHaveLength(1);
    expect(journal.ofCommit('d'.repeat(40), allRights)).toEqual([]);
    expect(journal.ofObject(object('Service', 'bert', 'two'), anna)).toEqual([]);
  });

  test.each(['apply', 'sync'])('knows what the gateway took of a commit; first the %s', (first) => {
    const log = new Journal(3);
    const one = object('Service', 'anna', 'one');
    const revision = `main@sha1:${commit}`;
    log.add({ kind: 'fetch', at: 1, subject: apps, revision, author: 'Ada' });
    const entity = (of: ShownObject, name: string) =>
      ({
        collection: 'targets',
        name,
        object: of,
        before: undefined,
        after: { id: name },
      }) as const;
    const applied = {
      kind: 'apply',
      at: 2,
      subject: apps,
      revision,
      objects: [{ object: one, action: 'configured' }],
    } as const;
    const synced = {
      kind: 'sync',
      at: 3,
      entities: [entity(one, 'its'), entity(object('Service', 'bert', 'two'), 'other')],
    } as const;
    const rows = new Map<string, ReturnType<typeof shownTo>>();
    for (const each of first === 'apply' ? [applied, synced] : [synced, applied])
      for (const [key, guarded] of log.add(each)) rows.set(key, shownTo(guarded, allRights));
    const told = [...rows.values()] as { kind: string; author?: string; origin?: object }[];
    expect(told.find(({ kind }) => kind === 'sync')).toMatchObject({
      title: 'the gateway took 2 changes of Service anna/one and Service bert/two',
      author: 'Ada',
      origin: { commit, kustomization: apps },
    });
    const ofCommit = log.ofCommit(commit, allRights);
    const sync = ofCommit.find(({ change }) => change.kind === 'sync');
    expect(sync?.entities.map(({ name }) => name)).toEqual(['its']);
    expect(sync?.change.title).toBe('the gateway took 1 change of Service anna/one');
    // Who may not read what applied it is not told which commit it was.
    expect(log.ofCommit(commit, anna).map(({ change }) => change.kind)).toEqual(['apply']);
    // Later changes of the object, as when its Pods come and go, are no doing of the commit.
    log.add({ ...synced, at: 60_000 });
    expect(log.ofCommit(commit, allRights)).toHaveLength(ofCommit.length);
  });

  test.each([1, 3])('what came of one commit is not that of the next; told at %i', (at) => {
    const log = new Journal(4);
    const one = object('Service', 'anna', 'one');
    const entities = [
      { collection: 'targets', name: 'its', object: one, before: undefined, after: { id: 'its' } },
    ] as const;
    const apply = (sha: string, when: number) =>
      log.add({
        kind: 'apply',
        at: when,
        subject: apps,
        revision: `main@sha1:${sha}`,
        objects: [{ object: one, action: 'configured' }],
      });
    if (at === 1) log.add({ kind: 'sync', at, entities });
    apply(commit, 2);
    if (at === 3) log.add({ kind: 'sync', at, entities });
    apply('e'.repeat(40), 20_000);
    const kinds = (sha: string) => log.ofCommit(sha, allRights).map(({ change }) => change.kind);
    expect(kinds(commit).sort()).toEqual(['apply', 'sync']);
    expect(kinds('e'.repeat(40))).toEqual(['apply']);
  });

  test('forgets the oldest, and says so', () => {
    const small = new Journal(2);
    const first = [...small.add({ kind: 'fetch', at: 0, subject: apps, revision: 'x' }).keys()][0]!;
    let last = new Map<string, unknown>();
    for (let index = 0; index < 2_000; index += 1)
      last = new Map(small.add({ kind: 'fetch', at: index, subject: apps, revision: 'x' }));
    expect([...last]).toContainEqual([first, undefined]);
    expect(small.detail(first, allRights)).toBeUndefined();
  });

  test('ids grow with time', () => {
    const ids = Array.from(
      { length: 50 },
      () => [...journal.add({ kind: 'error', at: 1, message: 'x' }).keys()][0]!,
    );
    expect([...ids].sort()).toEqual(ids);
  });

  test('keeps secrets to itself, and says where they differ', () => {
    const secret = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 's',
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"data":"${value}"}` },
      },
      data: { password: value, same: canary },
      stringData: { more: value },
    });
    const [[changeId] = []] = journal.add({
      kind: 'apply',
      at: 1,
      subject: apps,
      objects: [
        {
          object: object('Secret', 'anna', 's'),
          action: 'configured',
          before: secret(`${canary}1`),
          after: secret(`${canary}2`),
        },
      ],
      entities: [
        {
          collection: 'plugins',
          name: 'p',
          object: object('KongPlugin', 'anna', 'p', 'configuration.konghq.com'),
          before: undefined,
          after: {
            id: 'p',
            name: 'rate-limiting',
            config: { redis: { password: canary, username: canary } },
          },
        },
      ],
    });
    const detail = journal.detail(changeId!, allRights)!;
    expect(JSON.stringify(detail)).not.toContain(canary);
    expect(detail.objects[0]?.before).toContain("password: '*** (before)'");
    expect(detail.objects[0]?.after).toContain("password: '*** (after)'");
    expect(detail.objects[0]?.after).toContain("same: '***'");
  });
});

describe('objects leave masked', () => {
  const cases: readonly [string, object][] = [
    [
      'a Secret',
      { apiVersion: 'v1', kind: 'Secret', data: { a: canary }, stringData: { b: canary } },
    ],
    [
      'a plugin, by its schema',
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        plugin: 'openid-connect',
        config: { client_secret: [canary] },
      },
    ],
    [
      'a plugin that may name a vault',
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongClusterPlugin',
        plugin: 'rate-limiting',
        config: { redis: { username: canary } },
      },
    ],
    [
      'a plugin that nobody knows, by its names',
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        plugin: 'our-own',
        config: { api_key: canary },
      },
    ],
    [
      'a patch of a plugin',
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        configPatches: [{ path: '/a', value: canary }],
      },
    ],
    [
      'a licence',
      {
        apiVersion: 'configuration.konghq.com/v1alpha1',
        kind: 'KongLicense',
        rawLicenseString: canary,
      },
    ],
    [
      'an entity',
      {
        apiVersion: 'configuration.konghq.com/v1alpha1',
        kind: 'KongCustomEntity',
        spec: { fields: { x: canary } },
      },
    ],
    [
      'what Helm keeps of a release',
      { apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1', data: { release: canary } },
    ],
    [
      'a value of a release, by its name',
      {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        spec: { values: { db: { password: canary }, auth: { api_key: [canary] } } },
      },
    ],
    [
      'a variable of a Kustomization, by its name',
      {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        spec: { postBuild: { substitute: { db_password: canary } } },
      },
    ],
    [
      "a chat's hook",
      {
        apiVersion: 'notification.toolkit.fluxcd.io/v1beta3',
        kind: 'Provider',
        spec: { type: 'slack', address: `https://hooks.test/services/${canary}` },
      },
    ],
    [
      'what was an htpasswd file',
      {
        apiVersion: 'configuration.konghq.com/v1',
        kind: 'KongPlugin',
        plugin: 'htpasswd-auth',
        config: { users: [`ann:${canary}`] },
      },
    ],
    [
      'a vault',
      {
        apiVersion: 'configuration.konghq.com/v1alpha1',
        kind: 'KongVault',
        spec: { config: { token: canary } },
      },
    ],
    [
      'an address',
      {
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        spec: { url: `https://me:${canary}@git.test/x` },
      },
    ],
  ];
  test.each(cases)('%s', (_, content) => {
    const metadata = {
      name: 'x',
      managedFields: [{ manager: canary }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary },
    };
    const masked = maskedObject({ metadata, ...content } as never);
    expect(JSON.stringify(masked)).not.toContain(canary);
    const [before, after] = maskedStates({ metadata, ...content } as never, undefined);
    expect([JSON.stringify(before).includes(canary), after]).toEqual([false, undefined]);
  });

  test('a reference to a vault is no secret, and a ConfigMap is as it is', () => {
    const plugin = {
      apiVersion: 'configuration.konghq.com/v1',
      kind: 'KongPlugin',
      metadata: { name: 'x' },
      plugin: 'rate-limiting',
      config: { redis: { username: '{vault://env/user}' }, minute: 5 },
    };
    expect(maskedObject(plugin as never)).toMatchObject({
      config: { redis: { username: '{vault://env/user}' }, minute: 5 },
    });
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' } };
    expect(maskedObject(map as never)).toEqual(map);
  });
});
