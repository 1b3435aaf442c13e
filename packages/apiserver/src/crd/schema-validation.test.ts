import { beforeAll, expect, test, vi } from 'vitest';
import { patience } from '../../../../test/until.ts';
import { admin, useAdminWorld, world } from '../../test/admin-world.ts';

/** A real server of 1.36 gave the tables their words, and they run against one as well. */
useAdminWorld();

const text = { type: 'string' };
const whole = { type: 'integer' };
const list = (items: object, more: object) => ({ type: 'array', items, ...more });
const named = { type: 'object', required: ['name'], properties: { name: text, more: text } };
const properties = {
  choice: { ...text, enum: ['a', 'b'] },
  maybe: { ...text, enum: ['a'], nullable: true },
  nothing: { ...text, nullable: true },
  number: { ...whole, enum: [1, 2] },
  address: { ...text, format: 'ipv4' },
  since: { ...text, format: 'date-time' },
  small: { ...whole, format: 'int32' },
  counted: { ...whole, format: 'uint32' },
  large: { ...whole, format: 'int64' },
  plain: whole,
  ratio: { type: 'number', format: 'double' },
  both: { ...text, allOf: [{ pattern: '^a' }, { pattern: 'z$' }] },
  set: list(text, { 'x-kubernetes-list-type': 'set' }),
  map: list(named, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
};

let place: string;

beforeAll(async () => {
  const group = `${world.fresh('g')}.example.com`;
  const spec = { type: 'object', properties };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  await admin.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `values.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'values', kind: 'Value' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  place = `/apis/${group}/v1/values`;
  const isServed = async () => expect((await admin.ask('GET', place)).code).toBe(200);
  await vi.waitFor(isServed, patience);
});

async function said(spec: object): Promise<string> {
  const [, group] = place.split('/').slice(1);
  const object = { apiVersion: `${group}/v1`, kind: 'Value', metadata: { name: 'a' }, spec };
  const { message } = await admin.ask('POST', `${place}?dryRun=All`, object);
  return message.replace(/^.* is invalid: /u, '');
}

const choices = 'supported values: "a", "b"';
const checked = (what: string) => `<nil>: Invalid value: "": Checked value must be of type ${what}`;
const strange = (field: string, shown: string, wanted: string) =>
  `spec.${field}: Invalid value: "${shown}": spec.${field} in body must be of type ${wanted}: "${shown}"`;

const unlike = (pattern: string, value: string) =>
  `spec.both: Invalid value: "${value}": spec.both in body should match '${pattern}'`;

test.each<[string, object, string]>([
  ['one of them', { choice: 'a' }, ''],
  ['another', { choice: 'c' }, `spec.choice: Unsupported value: "c": ${choices}`],
  [
    'another of a wrong type',
    { choice: 1 },
    `[${strange('choice', 'integer', 'string')}, spec.choice: Unsupported value: 1: ${choices}]`,
  ],
  [
    'null, which is none of them',
    { maybe: null },
    'spec.maybe: Unsupported value: null: supported values: "a"',
  ],
  ['null where it may be', { nothing: null }, ''],
  [
    'a text that is no number',
    { number: '1' },
    `[${strange('number', 'string', 'integer')}, spec.number: Unsupported value: "1": supported values: "1", "2"]`,
  ],
  ['a number for an address', { address: 1 }, strange('address', 'int64', 'ipv4')],
  ['a fraction for an address', { address: 1.5 }, strange('address', 'float64', 'ipv4')],
  ['a switch for a time', { since: true }, strange('since', '', 'date-time')],
  ['an object for a time', { since: {} }, strange('since', '', 'date-time')],
  ['a text for a number with a format', { small: 'x' }, strange('small', 'string', 'integer')],
  ['the largest', { small: 2147483647, counted: 4294967295, large: 2147483648 }, ''],
  ['more than that', { small: 2147483648 }, checked('integer with format int32 in spec.small')],
  ['the least', { small: -2147483648, counted: 0 }, ''],
  ['less than that', { small: -2147483649 }, checked('integer with format int32 in spec.small')],
  ['less than none, which no format of the API says', { counted: -1 }, ''],
  [
    'a fraction for an integer',
    { plain: 1.5 },
    `[${strange('plain', 'number', 'integer')}, ${checked('integer (default format) in spec.plain')}]`,
  ],
  [
    'a fraction for one with a format',
    { small: 1.5 },
    `[${strange('small', 'float64', 'int32')}, ${checked('integer with format int32 in spec.small')}]`,
  ],
  ['a whole number for a ratio', { ratio: 1 }, ''],
  ['what two ask for', { both: 'a to z' }, ''],
  [
    'what one of two asks for',
    { both: 'a' },
    `[${unlike('z$', 'a')}, <nil>: Invalid value: "": "spec.both" must validate all the schemas (allOf)]`,
  ],
  [
    'what none of two asks for',
    { both: 'b' },
    `[${unlike('^a', 'b')}, ${unlike('z$', 'b')}, <nil>: Invalid value: "": "spec.both" must validate all the schemas (allOf). None validated]`,
  ],
  ['nothing twice', { set: ['a', 'b'], map: [{ name: 'a' }, { name: 'b' }] }, ''],
  ['something thrice', { set: ['a', 'a', 'a'] }, 'spec.set[1]: Duplicate value: "a"'],
  [
    'a name thrice',
    { map: [{ name: 'a' }, { name: 'a', more: 'x' }, { name: 'a' }] },
    'spec.map[1]: Duplicate value: {"name":"a"}',
  ],
  [
    'no name twice',
    { map: [{}, {}] },
    '[spec.map[0].name: Required value, spec.map[1].name: Required value, spec.map[1]: Duplicate value: {}]',
  ],
  [
    'a text among objects',
    { map: [{ name: 'a' }, 'x', 1] },
    `[${strange('map[1]', 'string', 'object')}, ${strange('map[2]', 'integer', 'object')}, spec.map[1]: Invalid value: "x": must be an object for an array of list-type map]`,
  ],
])('%s', async (_, spec, message) => {
  expect(await said(spec)).toBe(message);
});
