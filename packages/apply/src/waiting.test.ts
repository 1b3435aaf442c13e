import { startTestServer, type TestServer } from '@waygate/apiserver';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { type Clock, FakeClock, systemClock } from '@waygate/runtime';
import { type DynamicObject, kinds } from '@waygate/schema';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { applyObjects } from './applier.ts';
import { type ApplyOptions, applySelectors } from './apply-options.ts';
import { deleteAndWait } from './recreate.ts';

// What is waited for before the next step: who must know of an object first, definitions that are not served yet,
// objects that are slow to go.

let server: TestServer;
let client: KubeClient;
let namespace: string;

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

const selectors = applySelectors('kustomize.toolkit.fluxcd.io');
const apply = (objects: readonly DynamicObject[], options: Partial<ApplyOptions>) =>
  applyObjects(client, objects, { fieldManager: 'kustomize-controller', selectors, ...options });

const configMap = (name: string): DynamicObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});

const isThere = (name: string): Promise<boolean> =>
  client
    .resource(kinds.ConfigMap)
    .get(name, { namespace })
    .then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );

describe('an object that is new', () => {
  test('is not created before it is written down', async () => {
    const seen: unknown[] = [];
    const onCreating: ApplyOptions['onCreating'] = async (changes) => {
      for (let turn = 0; turn < 3; turn += 1) seen.push(await isThere('new'));
      seen.push(...changes.map(({ subject, action }) => `${subject} ${action}`));
    };
    await apply([configMap('new')], { onCreating });
    expect(seen).toEqual([false, false, false, `ConfigMap/${namespace}/new created`]);
    expect(await isThere('new')).toBe(true);
    // Known by now: nothing is written down a second time.
    await apply([configMap('new')], { onCreating });
    expect(seen).toHaveLength(4);
  });

  test('is not created when that fails', async () => {
    const onCreating = () => Promise.reject(new Error('no room'));
    await expect(apply([configMap('lost')], { onCreating })).rejects.toThrow('no room');
    expect(await isThere('lost')).toBe(false);
  });
});

/** Sleeps are noted, and what happens after so many of them. */
function notingClock(onSleep: (count: number) => Promise<unknown>): Clock & { slept: number[] } {
  const slept: number[] = [];
  return Object.assign(Object.create(systemClock) as Clock, {
    slept,
    sleep: async (ms: number) => {
      slept.push(ms);
      await onSleep(slept.length);
    },
  });
}

describe('a definition whose names another one has', () => {
  const definition = (group: string): DynamicObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  });
  /** Not accepted: its kind is another's in the same group. */
  const rival = (group: string): DynamicObject => {
    const { spec, ...rest } = definition(group);
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'GadgetList' };
    return {
      ...rest,
      metadata: { name: `gadgets.${group}` },
      spec: { ...(spec as object), names },
    };
  };
  const definitions = async () =>
    client.resourceOf({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' });

  test('is waited for, with pauses that grow, until it is served', async () => {
    await apply([definition('first.test')], {});
    const clock = notingClock(async (count) => {
      const names = { kind: 'Gadget' };
      if (count === 3) await (await definitions()).patch('gadgets.first.test', { spec: { names } });
    });
    const { failures } = await apply([rival('first.test')], { clock });
    expect(failures).toEqual([]);
    expect(clock.slept.slice(0, 3)).toEqual([20, 40, 80]);
  });

  test('is told when it is not served in time', async () => {
    await apply([definition('second.test')], {});
    const clock = new FakeClock();
    const waiting = apply([rival('second.test'), configMap('after')], {
      clock,
      definitionTimeoutMs: 1_000,
    });
    let isOver = false;
    void waiting.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await clock.advance(500);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { failures } = await waiting;
    expect(failures.map(({ message }) => message).join()).toContain('did not become ready in time');
  });
});

describe('an object that is deleted to be made anew', () => {
  test('is waited for, with pauses that double', async () => {
    const resource = await client.resourceOf({ apiVersion: 'v1', kind: 'ConfigMap' });
    const made = await resource.create(
      { ...configMap('held'), metadata: { name: 'held', namespace, finalizers: ['test/held'] } },
      { namespace },
    );
    const clock = notingClock(async (count) => {
      if (count !== 4) return;
      await resource.patch('held', { metadata: { finalizers: [] } }, { namespace });
    });
    await deleteAndWait(resource, made, clock, undefined);
    expect(clock.slept).toEqual([50, 100, 200, 400]);
    expect(await isThere('held')).toBe(false);
  });

  test('is another one when somebody made it anew meanwhile', async () => {
    const resource = await client.resourceOf({ apiVersion: 'v1', kind: 'ConfigMap' });
    const made = await resource.create(configMap('again'), { namespace });
    const clock = notingClock(async () => undefined);
    await resource.delete('again', { namespace });
    await resource.create(configMap('again'), { namespace });
    const other = { ...made, metadata: { ...made.metadata, name: 'again' } };
    await deleteAndWait(resource, other, clock, undefined);
    expect(clock.slept).toEqual([]);
  });

  test('is told when it stays', async () => {
    const resource = await client.resourceOf({ apiVersion: 'v1', kind: 'ConfigMap' });
    const made = await resource.create(
      { ...configMap('stays'), metadata: { name: 'stays', namespace, finalizers: ['test/held'] } },
      { namespace },
    );
    let nowMs = 0;
    const clock = Object.assign(
      notingClock(async (count) => {
        nowMs = count * 20_001;
      }),
      { monotonicMs: () => nowMs },
    );
    await expect(deleteAndWait(resource, made, clock, undefined)).rejects.toThrow(
      /still there after a minute/,
    );
    expect(clock.slept).toEqual([50, 100, 200]);
    await resource.patch('stays', { metadata: { finalizers: [] } }, { namespace });
  });
});
