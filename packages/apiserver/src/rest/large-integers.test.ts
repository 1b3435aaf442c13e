import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { startTestServer, type TestServer } from '../testing/test-server.ts';

/** The largest that Go's int64 has: as a number of JavaScript it would be another, which no int64 holds. */
const most = '9223372036854775807';
const least = '-9223372036854775808';
const odd = '9007199254740993';

const numbers = '/apis/x.io/v1/namespaces/default/numbers';
const definition = {
  metadata: { name: 'numbers.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Namespaced',
    names: { plural: 'numbers', kind: 'Number' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [{ name: 'Whole', type: 'integer', jsonPath: '.whole' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              whole: { type: 'integer', format: 'int64' },
              set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
              few: { type: 'integer', maximum: 9 },
              ruled: {
                type: 'integer',
                'x-kubernetes-validations': [{ rule: `self == ${odd}`, message: 'is another' }],
              },
              text: { type: 'string' },
            },
          },
        },
      },
    ],
  },
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await server.request('POST', definitions, definition);
  await until('the kind is served', async () => (await ask('GET', numbers)).status === 200);
});
afterAll(() => server.stop());

/** Texts go out and come in as they are: nothing here reads a number. */
async function ask(method: string, path: string, body?: string, type = 'application/json') {
  const answer = await fetch(server.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${server.adminToken}`,
      ...(body === undefined ? {} : { 'Content-Type': type }),
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

function number(name: string, fields: string): string {
  return `{"apiVersion":"x.io/v1","kind":"Number","metadata":{"name":"${name}"},${fields}}`;
}

describe('integers beyond 2^53 stay what they are', () => {
  const held = `"any":{"deep":[${most},{"least":${least}}]},"whole":${odd}`;

  test('when they are created, and read, listed and printed in any way', async () => {
    const created = await ask('POST', numbers, number('read', held));
    expect(created).toEqual({ status: 201, text: expect.stringContaining(held) });
    const { text } = await ask('GET', `${numbers}/read`);
    expect(text).toContain(held);
    expect((await ask('GET', numbers)).text).toContain(held);
    const pretty = (await ask('GET', `${numbers}/read?pretty=true`)).text;
    expect(pretty).toContain(
      `"any": {\n    "deep": [\n      ${most},\n      {\n        "least": ${least}\n      }\n    ]\n  },\n  "whole": ${odd}\n}\n`,
    );
    const table = await fetch(`${server.url}${numbers}/read`, {
      headers: {
        Authorization: `Bearer ${server.adminToken}`,
        Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
      },
    });
    expect(await table.text()).toContain(`"cells":["read",${odd}]`);
  });

  test('in YAML', async () => {
    const yaml = `apiVersion: x.io/v1\nkind: Number\nmetadata: {name: yaml}\nwhole: ${most}\n`;
    const { status, text } = await ask('POST', numbers, yaml, 'application/yaml');
    expect({ status, text }).toEqual({ status: 201, text: expect.stringContaining(most) });
  });

  test.each([
    ['application/merge-patch+json', `{"whole":${most}}`],
    ['application/json-patch+json', `[{"op":"replace","path":"/whole","value":${most}}]`],
  ])('through %s, beside others that nobody touched', async (type, patch) => {
    await ask('POST', numbers, number('patched', held));
    const { status, text } = await ask('PATCH', `${numbers}/patched`, patch, type);
    const after = held.replace(`"whole":${odd}`, `"whole":${most}`);
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(after) });
    await ask('DELETE', `${numbers}/patched`);
  });

  test('applied, applied again, owned in sets and taken over', async () => {
    const apply = (manager: string, set: string) =>
      ask(
        'PATCH',
        `${numbers}/applied?fieldManager=${manager}`,
        number('applied', `"set":${set},"whole":${most}`),
        'application/apply-patch+yaml',
      );
    expect((await apply('one', `[${most},${odd}]`)).status).toBe(201);
    const { status, text } = await apply('one', `[${odd},${most}]`);
    expect(status).toBe(200);
    expect(text).toContain(`"f:set":{"v:${odd}":{},"v:${most}":{}}`);
    expect((await apply('two', `[${least}]`)).text).toContain(`"set":[${odd},${most},${least}]`);
  });

  test('in what is watched', async () => {
    const { text: list } = await ask('GET', numbers);
    const { metadata } = JSON.parse(list) as { metadata: { resourceVersion: string } };
    await ask('POST', numbers, number('watched', held));
    const query = `?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
    expect((await ask('GET', `${numbers}${query}`)).text).toContain(held);
  });

  test('in fields of built-in kinds, and in protobuf', async () => {
    const pod = `{"metadata":{"name":"long"},"spec":{"terminationGracePeriodSeconds":${most},"containers":[{"name":"c","image":"i"}]}}`;
    const pods = '/api/v1/namespaces/default/pods';
    const created = await ask('POST', pods, pod);
    const held = `"terminationGracePeriodSeconds":${most}`;
    expect(created).toEqual({ status: 201, text: expect.stringContaining(held) });
    const label = '{"metadata":{"labels":{"a":"b"}}}';
    const type = 'application/strategic-merge-patch+json';
    expect((await ask('PATCH', `${pods}/long`, label, type)).text).toContain(held);
    const answer = await fetch(`${server.url}${pods}/long`, {
      headers: {
        Authorization: `Bearer ${server.adminToken}`,
        Accept: 'application/vnd.kubernetes.protobuf',
      },
    });
    // Field 4, a varint of 63 bits.
    const bytes = Buffer.from([0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
    expect(Buffer.from(await answer.arrayBuffer()).includes(bytes)).toBe(true);
  });
});

describe('integers beyond 2^53 are judged as others are', () => {
  test.each([
    [
      '"few":9007199254740993',
      'few: Invalid value: 9007199254740993: few in body should be less than or equal to 9',
    ],
    [
      '"text":9007199254740993',
      'text: Invalid value: \\"integer\\": text in body must be of type string: \\"integer\\"',
    ],
    ['"ruled":9007199254740992', 'ruled: Invalid value: 9007199254740992: is another'],
    ['"set":[9007199254740993,9007199254740993]', 'set[1]: Duplicate value: 9007199254740993'],
  ])('%s', async (fields, message) => {
    const { status, text } = await ask('POST', numbers, number('judged', fields));
    expect({ status, text }).toEqual({ status: 422, text: expect.stringContaining(message) });
  });

  test('what a rule wants of them can be given', async () => {
    const { status } = await ask('POST', numbers, number('ruled', `"ruled":${odd}`));
    expect(status).toBe(201);
  });

  test('those that int64 does not hold are floats', async () => {
    const { status, text } = await ask(
      'POST',
      numbers,
      number('far', '"any":{"n":92233720368547758080}'),
    );
    expect({ status, text }).toEqual({
      status: 201,
      text: expect.stringContaining('"any":{"n":92233720368547760000}'),
    });
  });
});
