import { expect, test } from 'vitest';
import { startTestServer } from '../testing/test-server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'names.example.com';

const definition = (plural: string, kind: string, listKind = `${kind}List`) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural, singular: plural.slice(0, -1), kind, listKind },
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

interface Stored {
  readonly status: { readonly conditions?: readonly { type: string; status: string }[] };
}

async function startWithRivals(holder = definition('firsts', 'Thing')) {
  const server = await startTestServer({ controllers: [] });
  const accepted = async (plural: string): Promise<string | undefined> => {
    const { body } = await server.request('GET', `${definitions}/${plural}.${group}`);
    const { conditions = [] } = (body as Stored).status;
    return conditions.find(({ type }) => type === 'NamesAccepted')?.status;
  };
  const expectAccepted = (plural: string, status: string) =>
    expect.poll(() => accepted(plural)).toBe(status);
  await server.request('POST', definitions, holder);
  await expectAccepted('firsts', 'True');
  await server.request('POST', definitions, definition('seconds', 'Thing'));
  await expectAccepted('seconds', 'False');
  return { server, expectAccepted };
}

test('a kind that is taken is refused, and the neighbour who has it goes on', async () => {
  const { server, expectAccepted } = await startWithRivals();
  await using _ = server;
  expect((await server.request('GET', `/apis/${group}/v1/seconds`)).status).toBe(404);
  await expectAccepted('firsts', 'True');
  expect((await server.request('GET', `/apis/${group}/v1/firsts`)).status).toBe(200);
});

test('a kind that was taken is had once its holder is gone', async () => {
  const { server, expectAccepted } = await startWithRivals();
  await using _ = server;
  await server.request('DELETE', `${definitions}/firsts.${group}`);
  await expectAccepted('seconds', 'True');
  expect((await server.request('GET', `/apis/${group}/v1/seconds`)).status).toBe(200);
});

test('a kind that was the name of lists is had once these are called otherwise', async () => {
  const { server, expectAccepted } = await startWithRivals(definition('firsts', 'First', 'Thing'));
  await using _ = server;
  const path = `${definitions}/firsts.${group}`;
  const { body } = await server.request('GET', path);
  const stored = body as ReturnType<typeof definition>;
  const names = { ...stored.spec.names, listKind: 'FirstList' };
  const renamed = { ...stored, spec: { ...stored.spec, names } };
  expect((await server.request('PUT', path, renamed)).status).toBe(200);
  await expectAccepted('seconds', 'True');
});
