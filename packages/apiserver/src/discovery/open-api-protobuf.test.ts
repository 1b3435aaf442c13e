import { expect, test } from 'vitest';
import { wireFields } from '../protobuf/protobuf-reader.ts';
import { startTestServer } from '../testing/test-server.ts';
import { encodeOpenApi, openApiProtobufTypes } from './open-api-protobuf.ts';

const fields = (bytes: Buffer, number: number) =>
  [...wireFields(bytes)].filter((field) => field.number === number).map((field) => field.bytes);
const field = (bytes: Buffer, ...path: number[]): Buffer =>
  path.reduce((at, number) => fields(at, number)[0] ?? Buffer.alloc(0), bytes);

test('schemas, query parameters and extensions are encoded', () => {
  const bytes = encodeOpenApi({
    swagger: '2.0',
    info: { title: 'T', version: '1' },
    parameters: { p: { in: 'query', name: 'fieldValidation', type: 'string' } },
    paths: { '/a': { patch: { parameters: [{ $ref: '#/parameters/p' }], 'x-kind': { a: 1 } } } },
    definitions: {
      D: {
        type: 'object',
        required: ['f'],
        properties: { f: { type: 'array', items: { $ref: '#/definitions/E' } } },
      },
    },
  });
  expect(field(bytes, 1).toString()).toBe('2.0');
  const patch = field(bytes, 8, 2, 2, 8);
  expect(field(patch, 8, 1, 2, 3, 4).toString()).toBe('fieldValidation');
  expect(field(patch, 13, 2, 2).toString()).toBe('{"a":1}');
  const schema = field(bytes, 9, 1, 2);
  expect(field(schema, 22, 1).toString()).toBe('object');
  expect(field(schema, 19).toString()).toBe('f');
  expect(field(schema, 25, 1, 2, 23, 1, 1).toString()).toBe('#/definitions/E');
});

test('the document is served as protobuf to those who ask for it', async () => {
  await using server = await startTestServer();
  const answer = await fetch(`${server.url}/openapi/v2`, {
    headers: {
      Authorization: `Bearer ${server.adminToken}`,
      Accept: openApiProtobufTypes[0] as string,
    },
  });
  expect(answer.headers.get('content-type')).toBe(openApiProtobufTypes[1]);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const names = fields(field(bytes, 9), 1).map((each) => field(each, 1).toString());
  expect(names).toContain('io.k8s.api.apps.v1.Deployment');
});
