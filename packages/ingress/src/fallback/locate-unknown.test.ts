import type { KubeObject } from '@waygate/schema';
import { expect, test } from 'vitest';
import type { ObjectReader } from '../store/object-reader.ts';
import { translate } from '../translate/translate.ts';
import { locateUnknown } from './locate-unknown.ts';

const classed = (name: string) => ({
  name,
  namespace: 'one',
  uid: `uid-${name}`,
  annotations: { 'kubernetes.io/ingress.class': 'kong' },
});

const group = (name: string) =>
  ({
    apiVersion: 'configuration.konghq.com/v1beta1',
    kind: 'KongConsumerGroup',
    metadata: classed(name),
  }) as KubeObject;

const consumer = {
  apiVersion: 'configuration.konghq.com/v1',
  kind: 'KongConsumer',
  metadata: classed('ann'),
  username: 'ann',
  consumerGroups: ['gold'],
} as KubeObject;

const custom = (name: string, type?: string) =>
  ({
    apiVersion: 'configuration.konghq.com/v1alpha1',
    kind: 'KongCustomEntity',
    metadata: classed(name),
    ...(type === undefined ? {} : { spec: { type, fields: {} } }),
  }) as KubeObject;

const readerOf = (objects: readonly KubeObject[]) =>
  ({
    list: (kind: string) => objects.filter((object) => object.kind === kind),
  }) as unknown as ObjectReader;

const objects = [
  group('gold'),
  group('silver'),
  consumer,
  custom('d', 'degraphql_routes'),
  custom('bare'),
];
const { state } = translate(objects);
const locate = (collections: string[]) => {
  const { refused, problems } = locateUnknown(collections, state, readerOf(objects));
  return {
    refused: refused.map(({ collection, name }) => `${collection} ${name}`),
    problems: problems.map(
      ({ object, field = '', message }) => `${object.kind} ${object.name} ${field} ${message}`,
    ),
  };
};

test('nothing is refused of a gateway that has all', () => {
  expect(locate([])).toEqual({ refused: [], problems: [] });
  expect(locate(['licenses'])).toEqual({ refused: [], problems: [] });
});

test('the entities of a collection that the gateway has not are put down to their objects', () => {
  const groups = {
    refused: ['consumer_groups gold', 'consumer_groups silver'],
    problems: [
      'KongConsumerGroup gold  the gateway has no consumer_groups',
      'KongConsumerGroup silver  the gateway has no consumer_groups',
    ],
  };
  const found = locate(['consumer_groups']);
  expect({ refused: found.refused.sort(), problems: found.problems.sort() }).toEqual(groups);
});

test('a refused entity is given with what it is known by', () => {
  const { refused } = locateUnknown(['consumer_groups'], state, readerOf(objects));
  const fields = refused.map((one) => Object.keys(one).sort());
  expect(fields).toEqual([
    ['collection', 'entity', 'id', 'name', 'tags'],
    ['collection', 'entity', 'id', 'name', 'tags'],
  ]);
});

test('memberships stand for the groups that they belong to, and are named as the gateway does', () => {
  const { refused, problems } = locate(['consumer_group_consumers']);
  expect(refused).toHaveLength(2);
  expect(problems.every((text) => text.endsWith('has no consumer_group_consumers'))).toBe(true);
});

test('an entity of a kind that no plugin brings is told at its type', () => {
  expect(locate(['degraphql_routes']).problems).toEqual([
    'KongCustomEntity d spec.type the gateway has no degraphql_routes',
  ]);
});
