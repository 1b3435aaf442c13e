import type { StoredEntity } from '@waygate/kong';
import { beforeEach, describe, expect, test } from 'vitest';
import { rightsTo } from '../access/read-rights.ts';
import type { ShownObject } from '../protocol/reference.ts';
import { shownTo } from './guarded.ts';
import { seenObject } from './seen-object.ts';
import { View } from './view.ts';

/** Tags as the ingress controller writes them, in short. */
const objectOf = (tags: readonly string[]): ShownObject | undefined => {
  const [kind, namespace, name] = (tags[0] ?? '').split('/');
  if (kind === undefined || namespace === undefined || name === undefined) return undefined;
  const group = kind === 'Ingress' ? 'networking.k8s.io' : '';
  return { group, version: 'v1', kind, namespace, name };
};

const flux = (kind: string, name: string, more: object): ReturnType<typeof seenObject> =>
  seenObject({
    apiVersion: `${kind === 'Kustomization' ? 'kustomize' : 'source'}.toolkit.fluxcd.io/v1`,
    kind,
    metadata: { name, namespace: 'flux-system', uid: name },
    ...more,
  } as Parameters<typeof seenObject>[0]);

const ready = (status: string, reason: string, message: string) => ({
  type: 'Ready',
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-02T03:04:05Z',
});

const commit = 'a'.repeat(40);
const kustomization = (revision: string, objects: readonly string[], conditions: object[] = []) =>
  flux('Kustomization', 'apps', {
    spec: { sourceRef: { kind: 'GitRepository', name: 'shop' } },
    status: {
      lastAppliedRevision: revision,
      inventory: { entries: objects.map((id) => ({ id, v: 'v1' })) },
      conditions,
    },
  });

let view: View;
const entity = (
  collection: 'routes' | 'services' | 'plugins' | 'upstreams' | 'targets',
  value: object,
) => view.changeEntity(collection, (value as StoredEntity).id, value as StoredEntity);

beforeEach(() => {
  view = new View({ objectOf, now: () => 1_000 });
  entity('services', {
    id: 's',
    name: 'web',
    host: 'web.svc',
    port: 80,
    tags: ['Service/shop/web'],
  });
  entity('upstreams', { id: 'u', name: 'web.svc' });
  entity('targets', { id: 't', target: '10.0.0.1:80', weight: 100, upstream: { id: 'u' } });
  entity('routes', {
    id: 'r',
    name: 'shop',
    hosts: ['shop.test'],
    paths: ['/'],
    service: { id: 's' },
    tags: ['Ingress/shop/web'],
  });
});

describe('routes', () => {
  test('tell where they lead, what runs on the way, and where they come from', () => {
    const git = flux('GitRepository', 'shop', {
      status: { artifact: { revision: `main@sha1:${commit}` } },
    });
    const applier = kustomization(`main@sha1:${commit}`, ['shop_web_networking.k8s.io_Ingress']);
    view.changeObject(git.key, git);
    view.changeObject(applier.key, applier);
    entity('plugins', { id: 'p', name: 'key-auth', route: { id: 'r' } });
    entity('plugins', { id: 'g', name: 'cors' });
    entity('plugins', { id: 'c', name: 'acl', consumer: { id: 'x' } });
    const row = view.settle().routes.get('r')?.item;
    expect(row).toMatchObject({
      name: 'shop',
      plugins: [
        { name: 'cors', scope: 'global' },
        { name: 'key-auth', scope: 'route' },
      ],
      service: { name: 'web', address: 'http://web.svc:80' },
      targets: [{ target: '10.0.0.1:80', weight: 100, health: 'unknown' }],
      object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
      origin: { kustomization: { name: 'apps' }, source: { name: 'shop' }, commit },
    });
  });

  test('are as healthy as their targets', () => {
    const healthOf = (health: 'healthy' | 'degraded') => {
      view.changeHealth('web.svc', new Map([['10.0.0.1:80', health]]));
      return view.settle().routes.get('r')?.item;
    };
    expect(healthOf('healthy')).toMatchObject({ health: 'healthy' });
    expect(healthOf('degraded')).toMatchObject({
      health: 'degraded',
      reason: 'no target is healthy',
    });
    view.changeEntity('targets', 't', undefined);
    expect(view.settle().routes.get('r')?.item).toMatchObject({
      reason: 'its service has no target',
    });
  });

  test('are gone when they are gone, with their boxes', () => {
    view.settle();
    view.changeEntity('routes', 'r', undefined);
    const { routes, flow } = view.settle();
    expect([...routes]).toEqual([['r', undefined]]);
    expect(flow.get('route:r')).toBeUndefined();
    expect(flow.has('route:r')).toBe(true);
    expect(flow.get('object:networking.k8s.io/Ingress/shop/web')).toBeUndefined();
  });

  test('do not change when a commit does not change their object', () => {
    const object = 'shop_web_networking.k8s.io_Ingress';
    const before = kustomization(`main@sha1:${commit}`, [object]);
    view.changeObject(before.key, before);
    view.settle();
    const after = kustomization(`main@sha1:${'b'.repeat(40)}`, [object]);
    view.changeObject(after.key, after);
    expect(view.settle().routes.size).toBe(0);
    view.noteApplied(`main@sha1:${'b'.repeat(40)}`, [objectOf(['Ingress/shop/web'])!]);
    expect(view.settle().routes.get('r')?.item.origin?.commit).toBe('b'.repeat(40));
  });
});

describe('cost follows the change', () => {
  test('one changed target makes one service and its routes again', () => {
    for (let index = 0; index < 500; index += 1) {
      entity('services', { id: `s${index}`, name: `s${index}`, host: `h${index}` });
      entity('upstreams', { id: `u${index}`, name: `h${index}` });
      view.changeHealth(`h${index}`, new Map());
      entity('routes', { id: `r${index}`, name: `r${index}`, service: { id: `s${index}` } });
    }
    view.settle();
    const before = view.made;
    entity('targets', { id: 't2', target: '10.0.0.2:80', upstream: { id: 'u7' } });
    const { routes, flow } = view.settle();
    expect([...routes.keys()]).toEqual(['r7']);
    expect([...flow.keys()].sort()).toEqual(['route:r7', 'service:s7', 'target:s7/10.0.0.2:80']);
    expect(view.made - before).toBe(2);
  });

  test('what is put again as it was is no change', () => {
    view.settle();
    entity('upstreams', { id: 'u', name: 'web.svc' });
    const { routes, flow, problems } = view.settle();
    expect([routes.size, flow.size, problems.size]).toEqual([0, 0, 0]);
  });

  test('a long list is taken in turns', () => {
    for (let index = 0; index < 30; index += 1) entity('routes', { id: `r${index}`, name: 'x' });
    expect(view.settle(10).routes.size).toBe(10);
    expect(view.hasChanges).toBe(true);
    while (view.hasChanges) view.settle(10);
    expect(view.settle().routes.size).toBe(0);
  });
});

describe('problems', () => {
  test('say what is wrong, since when, and what to do; and end', () => {
    const failing = kustomization('', [], [ready('False', 'BuildFailed', 'no such file')]);
    view.changeObject(failing.key, failing);
    const [[id, problem] = []] = view.settle().problems;
    expect(problem?.item).toMatchObject({
      severity: 'blocked',
      message: 'no such file',
      since: Date.parse('2026-01-02T03:04:05Z'),
      fix: expect.stringContaining('waygate preview'),
    });
    const well = kustomization('', [], [ready('True', 'ReconciliationSucceeded', 'fine')]);
    view.changeObject(well.key, well);
    expect([...view.settle().problems]).toEqual([[id, undefined]]);
  });

  test('one who suspends something wants it so', () => {
    const seen = flux('GitRepository', 'shop', {
      spec: { suspend: true },
      status: { conditions: [ready('False', 'GitOperationFailed', 'gone')] },
    });
    view.changeObject(seen.key, seen);
    const { problems, flow } = view.settle();
    expect(problems.size).toBe(0);
    expect(flow.get(`object:${seen.key}`)?.item.health).toBe('suspended');
  });

  test('a service without a healthy target is an outage, and names its routes', () => {
    view.changeHealth('web.svc', new Map([['10.0.0.1:80', 'degraded']]));
    const [[, problem] = []] = view.settle().problems;
    expect(problem?.item).toMatchObject({
      severity: 'outage',
      object: { kind: 'Service' },
      since: 1_000,
    });
    expect(problem?.item.effect).toContain('shop');
  });

  test('reported ones keep their time while they last', () => {
    const object = objectOf(['Ingress/shop/web'])!;
    view.setReported([{ object, message: 'no Service named web', field: 'spec' }]);
    const first = [...view.settle().problems.values()][0]?.item;
    expect(first).toMatchObject({ field: 'spec', message: 'no Service named web', since: 1_000 });
    view.setReported([{ object, message: 'no Service named web', field: 'spec' }]);
    expect(view.settle().problems.size).toBe(0);
    view.setReported([]);
    expect([...view.settle().problems.values()]).toEqual([undefined]);
  });
});

describe('who sees what', () => {
  const tenant = rightsTo(new Set(['networking.k8s.io/Ingress/shop', '/Service/shop']));

  test('a tenant sees the route, and not the Kustomization of somebody else', () => {
    const applier = kustomization('x', ['shop_web_networking.k8s.io_Ingress']);
    view.changeObject(applier.key, applier);
    const { routes, flow } = view.settle();
    const row = shownTo(routes.get('r'), tenant);
    expect(row).toMatchObject({ name: 'shop', service: { name: 'web' } });
    expect(JSON.stringify(row)).not.toContain('flux-system');
    const node = shownTo(flow.get('object:networking.k8s.io/Ingress/shop/web'), tenant);
    expect(node).toBeDefined();
    expect(JSON.stringify(node)).not.toContain('flux-system');
    expect(shownTo(flow.get(`object:${applier.key}`), tenant)).toBeUndefined();
  });

  test('a service of another namespace is cut off', () => {
    entity('services', {
      id: 's',
      name: 'secret-api',
      host: 'h',
      tags: ['Service/bank/secret-api'],
    });
    const { routes, flow } = view.settle();
    expect(JSON.stringify(shownTo(routes.get('r'), tenant))).not.toContain('secret-api');
    expect(JSON.stringify(shownTo(flow.get('route:r'), tenant))).not.toContain('service:');
    expect(shownTo(flow.get('service:s'), tenant)).toBeUndefined();
  });

  test('what no object stands for is for those who may see everything', () => {
    entity('routes', { id: 'bare', name: 'by-hand' });
    expect(shownTo(view.settle().routes.get('bare'), tenant)).toBeUndefined();
  });
});

test('a gateway that can be read may still refuse what it is sent, and the other way round', () => {
  const view = new View({ objectOf: () => undefined, now: () => 7 });
  const messages = () => {
    const shown = new Map<string, string>();
    return () => {
      for (const [id, row] of view.settle().problems)
        if (row === undefined) shown.delete(id);
        else shown.set(id, row.item.message);
      return [...shown.values()];
    };
  };
  const told = messages();
  view.setGatewayFault('written', 'refused');
  view.setGatewayFault('read', undefined);
  expect(told()).toEqual(['refused']);
  view.setGatewayFault('read', 'does not answer');
  expect(told()).toEqual(['refused', 'does not answer']);
  view.setGatewayFault('written', undefined);
  expect(told()).toEqual(['does not answer']);
});
