import type { JsonObject } from '@waygate/text';
import { type Ask, dry, merge } from './kubernetes-ask.ts';

/** Creations and updates with options and metadata, right and wrong. */
export function writeOptions(
  one: string,
  collection: string,
  object: JsonObject,
  name: string,
): Ask[] {
  const metadata = object.metadata as JsonObject;
  const { name: _, ...unnamed } = metadata;
  const fresh = { ...object, metadata: { ...metadata, name: `${name}-new` } } as JsonObject;
  const withMetadata = (more: JsonObject) =>
    ({ ...object, metadata: { ...metadata, ...more } }) as JsonObject;
  const unknown = { ...fresh, unknownField: 1 } as JsonObject;
  const levels = ['Strict', 'Warn', 'Ignore', 'Wrong'];
  const managers: [string, string][] = [
    ['long', 'x'.repeat(129)],
    ['of signs', encodeURIComponent('a\u0007b')],
    ['empty', ''],
    ['named', 'other-manager'],
  ];
  return [
    ...levels.flatMap((level): Ask[] => [
      [
        `create ${level} unknown`,
        'POST',
        `${collection}?${dry}&fieldValidation=${level}`,
        named(unknown),
      ],
      [
        `update ${level} unknown`,
        'PUT',
        `${one}?${dry}&fieldValidation=${level}`,
        { ...object, unknownField: 1 },
      ],
      [
        `merge ${level} unknown`,
        'PATCH',
        `${one}?${dry}&fieldValidation=${level}`,
        { unknownField: 1 },
        merge,
      ],
    ]),
    ...managers.map(
      ([words, manager]): Ask => [
        `update by a manager ${words}`,
        'PUT',
        `${one}?${dry}&fieldManager=${manager}`,
        object,
      ],
    ),
    ['create dry word', 'POST', `${collection}?dryRun=word`, object],
    ['create dry twice', 'POST', `${collection}?dryRun=All&dryRun=All`, named(fresh)],
    ['create again', 'POST', collection, object],
    ['create dry again', 'POST', `${collection}?${dry}`, object],
    [
      'create by prefix',
      'POST',
      `${collection}?${dry}`,
      { ...object, metadata: { ...unnamed, generateName: 'p-' } },
    ],
    [
      'create by a wrong prefix',
      'POST',
      `${collection}?${dry}`,
      { ...object, metadata: { ...unnamed, generateName: 'P_' } },
    ],
    ['create without a name', 'POST', `${collection}?${dry}`, { ...object, metadata: unnamed }],
    [
      'create elsewhere',
      'POST',
      `${collection}?${dry}`,
      withMetadata({ namespace: 'elsewhere', name: `${name}-new` }),
    ],
    [
      'create of another version',
      'POST',
      `${collection}?${dry}`,
      { ...fresh, apiVersion: 'nothing/v1' },
    ],
    ['create of another kind', 'POST', `${collection}?${dry}`, { ...fresh, kind: 'Nothing' }],
    [
      'create with a version',
      'POST',
      `${collection}?fieldValidation=Strict`,
      withMetadata({ resourceVersion: '5', name: `${name}-new` }),
    ],
    ['create a list', 'POST', `${collection}?${dry}`, [object]],
    ['create nothing', 'POST', `${collection}?${dry}`, {}],
    ['create of xml', 'POST', `${collection}?${dry}`, object, { 'Content-Type': 'text/xml' }],
    ['update same', 'PUT', `${one}?${dry}`, object],
    ['update of old', 'PUT', `${one}?${dry}`, withMetadata({ resourceVersion: '1' })],
    ['update of a word', 'PUT', `${one}?${dry}`, withMetadata({ resourceVersion: 'word' })],
    [
      'update of another uid',
      'PUT',
      `${one}?${dry}`,
      withMetadata({ uid: '6f1e4a4e-0000-4000-8000-000000000000' }),
    ],
    ['update with another name', 'PUT', `${one}?${dry}`, withMetadata({ name: 'other' })],
    ['update elsewhere', 'PUT', `${one}?${dry}`, withMetadata({ namespace: 'elsewhere' })],
    ['update without a name', 'PUT', `${one}?${dry}`, { ...object, metadata: unnamed }],
    [
      'update absent',
      'PUT',
      `${collection}/absent?${dry}`,
      withMetadata({ name: 'absent', uid: null }),
    ],
    [
      'update finalizers and owners',
      'PUT',
      `${one}?${dry}`,
      withMetadata({
        finalizers: ['example.com/f', 'other'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }],
      }),
    ],
    [
      'update two controllers',
      'PUT',
      `${one}?${dry}`,
      withMetadata({
        ownerReferences: ['p', 'q'].map((owner) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          name: owner,
          uid: owner,
          controller: true,
        })),
      }),
    ],
    [
      'update wrong labels',
      'PUT',
      `${one}?${dry}`,
      withMetadata({
        labels: { 'a b': 'c', ok: 'bad value' },
        annotations: { 'A/B/C': '', 'Upper/x': '' },
      }),
    ],
  ];
}

/** Names of these are made of others of their fields: another one would be a second mistake. */
function named(object: JsonObject): JsonObject {
  const { name } = object.metadata as { name: string };
  return name.includes('.')
    ? ({
        ...object,
        metadata: { ...(object.metadata as JsonObject), name: name.replace(/-new$/, '') },
      } as JsonObject)
    : object;
}
