import { startTestServer, type TestServer } from '@waygate/apiserver';
import { KubeClient, staticToken } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HelmRelease } from '../api/helm-objects.ts';
import { loadVariables } from '../substitution/variables.ts';
import { composeValues, digestOfValues, releaseValuesText } from './release-values.ts';

let server: TestServer;
let client: KubeClient;
const { signal } = new AbortController();

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  const metadata = (name: string) => ({ name, namespace: 'default' });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const data = { 'values.yaml': 'a: 1\nb:\n  c: map\n', text: 'plain', color: 'blue', bad: 'a: [' };
  await client.resource(kinds.ConfigMap).create({ metadata: metadata('map'), data });
  await client.resource(kinds.ConfigMap).create({ metadata: metadata('empty') });
  await client.resource(kinds.Secret).create({
    metadata: metadata('secret'),
    data: {
      'values.yaml': encode('b:\n  c: secret\n'),
      number: encode('5'),
      quoted: encode("'5'"),
      list: encode('{a,b}'),
      bad: encode('hunter2: ['),
      color: encode('grün'),
    },
  });
  await client.resource(kinds.Secret).create({ metadata: metadata('empty') });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

const release = (valuesFrom: object[], values?: object) =>
  ({
    metadata: { name: 'shop', namespace: 'default' },
    spec: { valuesFrom, ...(values && { values }) },
  }) as unknown as HelmRelease;
const textOf = (...from: Parameters<typeof release>) =>
  releaseValuesText(release(...from), client, signal);
const map = { kind: 'ConfigMap', name: 'map' };
const secret = { kind: 'Secret', name: 'secret' };

describe('the values of a release', () => {
  test.each<[string, object[], object | undefined, string]>([
    ['none', [], undefined, '{}\n'],
    ['its own', [], { a: 1 }, 'a: 1\n'],
    ['those of a ConfigMap', [map], undefined, 'a: 1\nb:\n  c: map\n'],
    ['later ones win', [map, secret], undefined, 'a: 1\nb:\n  c: secret\n'],
    ['its own win', [map, secret], { b: { c: 'own' } }, 'a: 1\nb:\n  c: own\n'],
    [
      'one at a path',
      [{ ...map, valuesKey: 'text', targetPath: 'x.y' }],
      undefined,
      'x:\n  "y": plain\n',
    ],
    ['a number', [{ ...secret, valuesKey: 'number', targetPath: 'x' }], undefined, 'x: 5\n'],
    ['a quoted one', [{ ...secret, valuesKey: 'quoted', targetPath: 'x' }], undefined, 'x: "5"\n'],
    ['a list', [{ ...secret, valuesKey: 'list', targetPath: 'x' }], undefined, 'x:\n- a\n- b\n'],
    [
      'one that is taken by the letter',
      [{ ...secret, valuesKey: 'list', targetPath: 'x', literal: true }],
      undefined,
      "x: '{a,b}'\n",
    ],
    [
      'one at a path within its own',
      [{ ...map, valuesKey: 'text', targetPath: 'b.c' }],
      { b: { d: 1 } },
      'b:\n  c: plain\n  d: 1\n',
    ],
    ['what need not be there', [{ ...map, name: 'no', optional: true }], undefined, '{}\n'],
    ['a key that need not be', [{ ...map, valuesKey: 'no', optional: true }], { a: 1 }, 'a: 1\n'],
    ['no data', [{ kind: 'Secret', name: 'empty', optional: true }], undefined, '{}\n'],
  ])('%s', async (_name, from, values, wanted) => {
    expect(await textOf(from, values)).toBe(wanted);
  });

  test.each<[object, string]>([
    [
      { ...map, name: 'no' },
      "ConfigMap chart values reference 'default/no' with key 'values.yaml'",
    ],
    [{ ...map, valuesKey: 'no' }, "missing key 'no' in ConfigMap 'default/map'"],
    [
      { kind: 'ConfigMap', name: 'empty' },
      "missing key 'values.yaml' in ConfigMap 'default/empty'",
    ],
    [{ ...secret, valuesKey: 'no' }, "missing key 'no' in Secret 'default/secret'"],
    [{ ...map, kind: 'Pod' }, "unsupported ValuesReference kind 'Pod'"],
    [{ ...map, valuesKey: 'bad' }, "value from key 'bad' in ConfigMap 'default/map': "],
    [
      { ...secret, valuesKey: 'bad' },
      "merge value from key 'bad' in Secret 'default/secret': it cannot be read as values",
    ],
    [
      { ...map, valuesKey: 'text', targetPath: 'a[x]' },
      "in ConfigMap 'default/map' into target path 'a[x]': ",
    ],
  ])('%j is refused', async (reference, message) => {
    await expect(textOf([reference])).rejects.toThrow(message);
    const said = await textOf([reference]).catch((error: Error) => error.message);
    expect(said).not.toContain('hunter2');
  });

  test('have a digest; that of none is that of nothing', async () => {
    const digest = async (values: object) =>
      digestOfValues(await composeValues(release([], values), client, signal));
    expect(await digest({})).toBe(
      'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(await digest({ a: 1, b: 2 })).toBe(await digest({ b: 2, a: 1 }));
    expect(await digest({ a: 1 })).not.toBe(await digest({ a: 2 }));
  });

  test('all paths together fill lists up with a million items, and no more', async () => {
    const far = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...[map, secret][at % 2],
        valuesKey: 'color',
        targetPath: `a${at}[65536]`,
        literal: at % 3 === 0,
      }));
    const values = await composeValues(release(far(15)), client, signal);
    expect(values.size).toBe(15);
    const refused = composeValues(
      release([...far(15), { ...map, valuesKey: 'color', targetPath: 'z[65536]' }]),
      client,
      signal,
    );
    await expect(refused).rejects.toThrow(
      "unable to merge value from key 'color' in ConfigMap 'default/map' into target path 'z[65536]': the lists have more than 1000000 items that nothing is set to",
    );
  });

  test('whoever gives up is told so', async () => {
    const given = composeValues(release([map]), client, AbortSignal.abort(new Error('given up')));
    await expect(given).rejects.toThrow('given up');
  });
});

describe('the variables of a Kustomization', () => {
  const load = async (postBuild: object | undefined) =>
    Object.fromEntries(await loadVariables(client, postBuild as never, 'default', signal));
  const from = (...substituteFrom: object[]) => ({ substituteFrom });

  test('are those of ConfigMaps and Secrets in their order, then its own', async () => {
    expect(await load(undefined)).toEqual({});
    expect(await load(from(map))).toMatchObject({ color: 'blue', text: 'plain' });
    expect(await load(from(map, secret))).toMatchObject({ color: 'grün', number: '5' });
    expect(await load(from(secret, map))).toMatchObject({ color: 'blue', number: '5' });
    const own = { ...from(map), substitute: { color: 'red' } };
    expect(await load(own)).toMatchObject({ color: 'red' });
    const empty = from({ kind: 'ConfigMap', name: 'empty' }, { kind: 'Secret', name: 'empty' });
    expect(await load(empty)).toEqual({});
  });

  test('one that is missing is an error, unless it need not be there', async () => {
    const missing = { kind: 'ConfigMap', name: 'no' };
    await expect(load(from(missing))).rejects.toThrow("substitute from 'ConfigMap/no' error: ");
    await expect(load(from({ ...missing, optional: false }))).rejects.toThrow('ConfigMap/no');
    expect(await load(from({ ...missing, optional: true }))).toEqual({});
  });
});
