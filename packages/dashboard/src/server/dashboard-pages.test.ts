import { startTestServer } from '@waygate/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TopicSnapshot } from '../protocol/stream.ts';
import { as, canary, DashboardStage, tenantTokens } from '../testing/dashboard-stage.ts';

let stage: DashboardStage;

beforeAll(async () => {
  stage = await DashboardStage.start(await startTestServer({ tokens: tenantTokens }));
});

afterAll(() => stage[Symbol.asyncDispose]());

describe('what is asked for one at a time', () => {
  const json = { 'content-type': 'application/json' };

  test('changes nothing without the token of the session', async () => {
    const { cookie, token } = await stage.owner();
    const object = { group: '', version: 'v1', kind: 'Service', namespace: 'anna', name: 'x' };
    const body = JSON.stringify({ action: 'reconcile', object });
    const act = (headers: Readonly<Record<string, string>>) =>
      stage.ask('/api/actions', { ...json, cookie, ...headers }, { method: 'POST', body });
    for (const headers of [{}, { 'x-waygate-csrf': 'wrong' }, { 'x-waygate-csrf': '' }]) {
      const { status, text } = await act(headers as Record<string, string>);
      expect([status, text]).toEqual([400, expect.stringContaining('x-waygate-csrf')]);
    }
    const right = await act({ 'x-waygate-csrf': token });
    expect([right.status, right.text]).toEqual([400, expect.stringContaining('no reconcile')]);
    const foreign = { 'x-waygate-csrf': token, origin: 'https://evil.example' };
    expect((await act(foreign)).status).toBe(403);
  });

  test('a defect is answered, and its words are for the log alone', async () => {
    const { cookie, token } = await stage.owner();
    const headers = { ...json, cookie, 'x-waygate-csrf': token };
    const body = JSON.stringify({ url: 'http://x/' });
    const { status, text } = await stage.ask('/api/trace', headers, { method: 'POST', body });
    expect([status, text]).toEqual([500, expect.stringContaining('WG_DASHBOARD_INTERNAL')]);
    expect(text).not.toContain(canary);
    expect(stage.defects).toEqual([expect.stringContaining('a defect that knows')]);
  });

  test('asks the API as the person, and shows no secret', async () => {
    const { cookie } = await stage.owner();
    const page = await stage.ask('/api/objects/core/v1/Secret/anna/keys', { cookie });
    expect(JSON.parse(page.text)).toMatchObject({
      object: { kind: 'Secret', namespace: 'anna', name: 'keys' },
      yaml: expect.stringContaining("a: '***'"),
      fieldOwners: [{ fields: expect.arrayContaining(['data.a']) }],
    });
    expect((await stage.ask('/api/objects/core/v1/Secret/anna/keys', as('anna'))).status).toBe(403);
    expect((await stage.ask('/api/objects/core/v1/Service/bert/x', as('anna'))).status).toBe(403);
    expect((await stage.ask('/api/objects/core/v1/Service/anna/gone', as('anna'))).status).toBe(
      404,
    );
    expect((await stage.ask('/api/objects/a.test/v1/Nothing/anna/x', as('anna'))).status).toBe(404);
  });

  test('a change is told to those whom it is about, masked', async () => {
    const { cookie } = await stage.owner();
    const ingress = (namespace: string) => ({
      group: 'networking.k8s.io',
      version: 'v1',
      kind: 'Ingress',
      namespace,
      name: 'web',
    });
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'k' },
      data: { x: canary },
    };
    stage.core.note({
      kind: 'apply',
      at: 1,
      subject: { ...ingress('flux'), kind: 'Kustomization' },
      revision: `main@sha1:${'e'.repeat(40)}`,
      objects: [
        { object: ingress('anna'), action: 'created', after: secret },
        { object: ingress('bert'), action: 'created', after: secret },
      ],
      entities: [
        {
          collection: 'plugins',
          name: 'key-auth',
          object: ingress('anna'),
          before: undefined,
          after: { id: 'p', name: 'rate-limiting', config: { redis: { password: canary } } },
        },
      ],
    });
    const changesOf = async (headers: Readonly<Record<string, string>>) =>
      (JSON.parse((await stage.ask('/api/changes', headers)).text) as TopicSnapshot<'changes'>)
        .items;
    await expect.poll(async () => (await changesOf(as('anna'))).length).toBe(1);
    const [change] = await changesOf(as('anna'));
    const detail = await stage.ask(`/api/changes/${change!.id}`, as('anna'));
    expect(JSON.parse(detail.text).objects).toHaveLength(1);
    expect(detail.text).not.toMatch(/bert|flux|eeee/);
    const whole = await stage.ask(`/api/commits/${'e'.repeat(40)}`, { cookie });
    expect(JSON.parse(whole.text).changes[0].objects).toHaveLength(2);
    expect(detail.text + whole.text).not.toContain(canary);
    expect((await stage.ask('/api/changes/gone', as('anna'))).status).toBe(404);
  });

  test('nothing that is planted as a secret comes out anywhere', async () => {
    const { cookie } = await stage.owner();
    stage.core.view.changeEntity('plugins', 'planted', {
      id: 'planted',
      name: 'key-auth',
      config: { client_secret: canary },
      tags: ['anna/x'],
    });
    stage.core.setReported([]);
    await expect
      .poll(async () => (await stage.ask('/api/routes', { cookie })).text)
      .toContain('"key-auth"');
    const { reader, asked } = await stage.openStream({ cookie }, '/api/stream?topics=changes');
    const entity = (redis: { readonly password: string }) => ({
      id: 'limit',
      name: 'rate-limiting',
      config: { redis },
    });
    stage.core.note({
      kind: 'sync',
      at: Date.now(),
      entities: [
        {
          collection: 'plugins',
          name: 'limit-of-all',
          object: undefined,
          before: entity({ password: `${canary}-old` }),
          after: entity({ password: canary }),
        },
      ],
    });
    const told = (): string => JSON.stringify(reader.events);
    await expect.poll(told).toContain('the gateway took');
    asked.destroy();
    const changes = JSON.parse((await stage.ask('/api/changes', { cookie })).text) as {
      readonly items: readonly { readonly id: string }[];
    };
    const paths = changes.items.map(({ id }) => `/api/changes/${id}`);
    const pages = await Promise.all(
      [...paths, '/api/objects/core/v1/Secret/anna/keys'].map((path) =>
        stage.ask(path, { cookie }),
      ),
    );
    const said = pages.map(({ text }) => text).join('');
    expect(said).toContain('rate-limiting');
    expect(said + told()).not.toContain(canary);
    const topics = ['flow', 'routes', 'problems', 'changes', 'traffic'];
    const answers = await Promise.all(
      topics.map((topic) => stage.ask(`/api/${topic}`, { cookie })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ text }) => text).join('')).not.toContain(canary);
  });
});
