import { openApiV2 } from '@waygate/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/test-server.ts';
import { fieldDescriptions } from './field-descriptions.ts';
import { kindDescriptions } from './kind-descriptions.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ controllers: [] });
});
afterAll(() => server.stop());

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const definitions = openApiV2().definitions as Readonly<Record<string, Schema>>;
const types = new Map<string, Set<string>>();
for (const [name, { properties }] of Object.entries(definitions)) {
  const type = name.slice(name.lastIndexOf('.') + 1);
  types.set(type, new Set([...(types.get(type) ?? []), ...Object.keys(properties ?? {})]));
}

test('the kinds and fields that people look up have words, whichever document is asked for', async () => {
  const apps = await server.request('GET', '/openapi/v3/apis/apps/v1');
  const { schemas } = (apps.body as { components: { schemas: Record<string, Schema> } }).components;
  const deployment = schemas['io.k8s.api.apps.v1.Deployment'];
  const container = schemas['io.k8s.api.core.v1.Container'];
  expect(deployment?.description).toBe(kindDescriptions.Deployment);
  expect(deployment?.properties?.metadata?.description).toBe(fieldDescriptions.metadata);
  expect(container?.properties?.image?.description).toBe(fieldDescriptions.image);
  expect(container?.properties?.name?.description).toBe(fieldDescriptions['Container.name']);
  const whole = await server.request('GET', '/openapi/v2');
  const old = (whole.body as { definitions: Record<string, Schema> }).definitions;
  expect(old['io.k8s.api.core.v1.Pod']?.description).toBe(kindDescriptions.Pod);
});

test('the facts themselves stay without words', async () => {
  await server.request('GET', '/openapi/v2');
  expect(definitions['io.k8s.api.core.v1.Pod']).not.toHaveProperty('description');
});

test('all words are of something, short, and a sentence', () => {
  const fields = new Set([...types.values()].flatMap((names) => [...names]));
  for (const type of Object.keys(kindDescriptions)) expect(types.has(type), type).toBe(true);
  for (const name of Object.keys(fieldDescriptions)) {
    const [type = '', field] = name.split('.');
    const isThere = field === undefined ? fields.has(type) : types.get(type)?.has(field);
    expect(isThere, name).toBe(true);
  }
  for (const words of [...Object.values(kindDescriptions), ...Object.values(fieldDescriptions)])
    expect(words).toMatch(/^.{3,99}\.$/);
});
