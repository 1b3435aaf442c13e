import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, type Actor, startAccessWorld } from '../testing/access-world.ts';

let world: AccessWorld;
let admin: Actor;

beforeAll(async () => {
  world = await startAccessWorld();
  admin = world.admin;
});

afterAll(() => world.stop());

const merge = { 'Content-Type': 'application/merge-patch+json' };

describe('custom resources', () => {
  async function definition(
    kind: string,
    versions: object[],
  ): Promise<{ group: string; plural: string }> {
    const group = `${world.fresh('g')}.example.com`;
    const plural = `${kind.toLowerCase()}s`;
    await admin.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Cluster', names: { plural, kind }, versions },
    });
    const [{ name }] = versions as [{ name: string }];
    await expect
      .poll(async () => (await admin.ask('GET', `/apis/${group}/${name}/${plural}`)).code)
      .toBe(200);
    return { group, plural };
  }
  const text = { type: 'string' };

  test('have the defaults of their status from the start', async () => {
    const status = {
      type: 'object',
      default: {},
      properties: {
        phase: { ...text, default: 'New' },
        part: { type: 'object', properties: { q: { ...text, default: 'Q' } } },
      },
    };
    const { group, plural } = await definition('Gizmo', [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { status } } },
      },
    ]);
    const place = `/apis/${group}/v1/${plural}`;
    const made = await admin.ask('POST', place, {
      apiVersion: `${group}/v1`,
      kind: 'Gizmo',
      metadata: { name: 'a' },
      status: { phase: 'Mine', part: {} },
    });
    expect(made.body.status).toEqual({ phase: 'New' });
    expect((await admin.ask('GET', `${place}/a`)).body.status).toEqual({ phase: 'New' });
    const labelled = { metadata: { labels: { a: 'b' } }, status: { phase: 'Old', part: {} } };
    const patched = await admin.ask('PATCH', `${place}/a/status`, labelled, merge);
    expect(patched.body.status).toEqual({ phase: 'Old', part: { q: 'Q' } });
    expect(patched.body.metadata).not.toHaveProperty('labels');
  });

  test('of several versions are pruned and filled in by the one that is stored', async () => {
    const schema = (own: string, only: string) => ({
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: {
              shared: text,
              [own]: { ...text, default: `d-${own}` },
              only: { type: only },
            },
          },
        },
      },
    });
    const { group, plural } = await definition('Multi', [
      { name: 'v1', served: true, storage: false, schema: schema('one', 'string') },
      { name: 'v2', served: true, storage: true, schema: schema('two', 'integer') },
    ]);
    const place = (version: string) => `/apis/${group}/${version}/${plural}`;
    await expect.poll(async () => (await admin.ask('GET', place('v2'))).code).toBe(200);
    const object = (version: string, name: string, spec: object) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Multi',
      metadata: { name },
      spec,
    });
    const made = await admin.ask(
      'POST',
      place('v1'),
      object('v1', 'm', { shared: 's', one: 'x', only: 'text' }),
    );
    expect(made.body.spec).toEqual({ shared: 's', only: 'text' });
    const read = async (version: string, name: string) =>
      (await admin.ask('GET', `${place(version)}/${name}`)).body.spec;
    expect(await read('v1', 'm')).toEqual({ shared: 's', only: 'text' });
    expect(await read('v2', 'm')).toEqual({ shared: 's', only: 'text', two: 'd-two' });
    await admin.ask('POST', place('v2'), object('v2', 'n', { two: 'y', only: 3 }));
    expect(await read('v1', 'n')).toEqual({ only: 3 });
    // What is wrong by this version and stays as it was is let be.
    for (const [version, name, spec] of [
      ['v1', 'n', { only: 3, shared: 't' }],
      ['v2', 'm', { only: 'text', shared: 't', two: 'd-two' }],
    ] as const) {
      const patched = await admin.ask(
        'PATCH',
        `${place(version)}/${name}`,
        { spec: { shared: 't' } },
        merge,
      );
      expect(patched.body.spec).toEqual(spec);
    }
    const wrong = await admin.ask('PATCH', `${place('v1')}/n`, { spec: { only: 4 } }, merge);
    expect(wrong.code).toBe(422);
  });
});
