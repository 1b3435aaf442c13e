import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccessWorld, type Actor, startAccessWorld } from '../testing/access-world.ts';

/** What a real server of 1.36 says to documents that are not of the kind that their place is for. */
let world: AccessWorld;
let admin: Actor;
let place: string;

beforeAll(async () => {
  world = await startAccessWorld();
  admin = world.admin;
  place = `/api/v1/namespaces/${await world.namespace()}/configmaps`;
  await admin.ask('POST', place, { metadata: { name: 'a' } });
});

afterAll(() => world.stop());

const ways = {
  create: (fields: object) => admin.ask('POST', place, { ...fields, metadata: { name: 'b' } }),
  update: (fields: object) =>
    admin.ask('PUT', `${place}/a`, { ...fields, metadata: { name: 'a' } }),
  merge: (fields: object) => patch('merge-patch+json', fields),
  json: (fields: object) =>
    patch(
      'json-patch+json',
      Object.entries(fields).map(([key, value]) => ({ op: 'replace', path: `/${key}`, value })),
    ),
  strategic: (fields: object) => patch('strategic-merge-patch+json', fields),
  apply: (fields: object) =>
    patch(
      'apply-patch+yaml',
      { apiVersion: 'v1', kind: 'ConfigMap', ...fields, metadata: { name: 'a' } },
      '&fieldManager=m',
    ),
};

function patch(type: string, body: object, query = '') {
  const headers = { 'Content-Type': `application/${type}` };
  return admin.ask('PATCH', `${place}/a?dryRun=All${query}`, body, headers);
}

const nobody = (kind: string, version: string) =>
  `no kind "${kind}" is registered for version "${version}" in scheme`;
const number = 'cannot unmarshal number into Go struct field .kind of type string';
const list = 'cannot unmarshal array into Go struct field .apiVersion of type string';

describe.each<[object, Partial<Record<keyof typeof ways, [number, string]>>]>([
  [
    { kind: 7 },
    {
      create: [400, `couldn't get version/kind; json parse error: json: ${number} ({"kind":7,`],
      update: [400, number],
      merge: [422, `couldn't get version/kind; json parse error: json: ${number}`],
      json: [422, number],
      strategic: [422, 'patch: Invalid value: "map[kind:7]": cannot convert int64 to string'],
      apply: [400, 'invalid object type: /v1, Kind='],
    },
  ],
  [
    { apiVersion: ['a'] },
    {
      create: [400, list],
      update: [400, list],
      merge: [422, list],
      json: [422, list],
      strategic: [422, '"map[apiVersion:[a]]": unrecognized type: string'],
      apply: [400, 'invalid object type: /, Kind=ConfigMap'],
    },
  ],
  [
    { kind: 'other' },
    {
      create: [
        400,
        `other in version "" cannot be handled as a ConfigMap: ${nobody('other', 'v1')}`,
      ],
      merge: [422, nobody('other', 'v1')],
      json: [422, nobody('other', 'v1')],
      strategic: [200, ''],
      apply: [400, 'invalid object type: /v1, Kind=other'],
    },
  ],
  [
    { apiVersion: 'a/b' },
    {
      create: [400, nobody('ConfigMap', 'a/b')],
      merge: [422, nobody('ConfigMap', 'a/b')],
      json: [422, nobody('ConfigMap', 'a/b')],
      strategic: [200, ''],
      apply: [400, 'invalid object type: a/b, Kind=ConfigMap'],
    },
  ],
  [
    { apiVersion: '' },
    {
      merge: [400, 'the name of the object (a based on URL) was undeterminable'],
      json: [400, 'undeterminable'],
      strategic: [200, ''],
    },
  ],
  [
    { data: 'text' },
    {
      merge: [422, 'cannot unmarshal string into Go struct field ConfigMap.data of type'],
      strategic: [422, '"map[data:text]": cannot restore map from string'],
      apply: [500, '.data: expected map, got &{text}'],
    },
  ],
  [
    { metadata: { finalizers: {} } },
    { strategic: [422, '"map[metadata:map[finalizers:map[]]]": cannot restore slice from map'] },
  ],
])('%j', (fields, answers) => {
  test.each(Object.entries(answers))('%s', async (way, [code, said]) => {
    const answer = await ways[way as keyof typeof ways](fields);
    expect(answer.message).toContain(said);
    expect(answer.code).toBe(code);
  });
});
