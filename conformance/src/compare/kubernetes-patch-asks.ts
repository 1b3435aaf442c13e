import type { JsonObject, JsonValue } from '@waygate/text';
import { type Ask, apply, dry, json, jsonPatch, merge, strategic } from './kubernetes-ask.ts';

/** Patches of every type, right and wrong. */
export function patches(one: string, object: JsonObject): Ask[] {
  const { apiVersion, kind } = object as { apiVersion: string; kind: string };
  const { name } = object.metadata as { name: string };
  const head = { apiVersion, kind, metadata: { name } };
  const of = (manager: string, more = '') => `${one}?${dry}&fieldManager=${manager}${more}`;
  const labelled = { ...head, metadata: { name, labels: { app: 'other' } } };
  const path = '/metadata/labels/app';
  return [
    ['apply head', 'PATCH', of('second'), head, apply],
    ['apply conflicting', 'PATCH', of('second'), labelled, apply],
    ['apply conflicting by force', 'PATCH', of('second', '&force=true'), labelled, apply],
    ['apply whole', 'PATCH', of('second'), object, apply],
    ['apply without a manager', 'PATCH', `${one}?${dry}`, head, apply],
    [
      'apply of old',
      'PATCH',
      of('second'),
      { ...head, metadata: { name, resourceVersion: '1' } },
      apply,
    ],
    [
      'apply with managed fields',
      'PATCH',
      of('second'),
      { ...head, metadata: { name, managedFields: [] } },
      apply,
    ],
    [
      'apply with a manager of none',
      'PATCH',
      of('second'),
      { ...head, metadata: { name, managedFields: [{ manager: 'x' }] } },
      apply,
    ],
    ['apply of another name', 'PATCH', of('second'), { ...head, metadata: { name: 'b' } }, apply],
    ['apply of no kind', 'PATCH', of('second'), { metadata: { name } }, apply],
    ['apply of another kind', 'PATCH', of('second'), { ...head, kind: 'Nothing' }, apply],
    [
      'apply of another version',
      'PATCH',
      of('second'),
      { ...head, apiVersion: 'nothing/v9' },
      apply,
    ],
    ['apply unknown', 'PATCH', of('second'), { ...head, unknownField: 1 }, apply],
    [
      'apply unknown Warn',
      'PATCH',
      of('second', '&fieldValidation=Warn'),
      { ...head, unknownField: 1 },
      apply,
    ],
    ['apply absent', 'PATCH', of('second').replace(`/${name}?`, '/absent?'), head, apply],
    ['apply force of a word', 'PATCH', of('second', '&force=word'), head, apply],
    ['merge with force', 'PATCH', `${one}?${dry}&force=true`, {}, merge],
    ['merge of nothing', 'PATCH', `${one}?${dry}`, {}, merge],
    ['merge absent', 'PATCH', `${one.replace(/[^/]+$/, 'absent')}?${dry}`, {}, merge],
    ['merge of a list', 'PATCH', `${one}?${dry}`, [], merge],
    ['merge of old', 'PATCH', `${one}?${dry}`, { metadata: { resourceVersion: '1' } }, merge],
    ['merge of another uid', 'PATCH', `${one}?${dry}`, { metadata: { uid: 'x' } }, merge],
    ['merge of another name', 'PATCH', `${one}?${dry}`, { metadata: { name: 'other' } }, merge],
    [
      'merge of another namespace',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { namespace: 'other' } },
      merge,
    ],
    ['merge of another kind', 'PATCH', `${one}?${dry}`, { kind: 'Other' }, merge],
    ['merge without fields', 'PATCH', `${one}?${dry}`, { metadata: { managedFields: [] } }, merge],
    [
      'merge of a null in a list',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { finalizers: [null] } },
      merge,
    ],
    [
      'strategic deletion',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { finalizers: [], '$deleteFromPrimitiveList/finalizers': ['example.com/f'] } },
      strategic,
    ],
    [
      'strategic replacement',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { labels: { $patch: 'replace', b: 'c' } } },
      strategic,
    ],
    [
      'strategic wrong directive',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { labels: { $patch: 'wrong' } } },
      strategic,
    ],
    [
      'strategic retainKeys',
      'PATCH',
      `${one}?${dry}`,
      { metadata: { $retainKeys: ['name'], labels: { b: 'c' } } },
      strategic,
    ],
    [
      'strategic order',
      'PATCH',
      `${one}?${dry}`,
      {
        metadata: {
          '$setElementOrder/finalizers': ['example.com/g', 'example.com/f'],
          finalizers: ['example.com/g'],
        },
      },
      strategic,
    ],
    [
      'json test true',
      'PATCH',
      `${one}?${dry}`,
      [
        { op: 'test', path, value: 'a' },
        { op: 'remove', path },
      ] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json test false',
      'PATCH',
      `${one}?${dry}`,
      [{ op: 'test', path, value: 'b' }] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json of no operation',
      'PATCH',
      `${one}?${dry}`,
      [{ op: 'wrong', path }] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json without a path',
      'PATCH',
      `${one}?${dry}`,
      [{ op: 'remove' }] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json remove absent',
      'PATCH',
      `${one}?${dry}`,
      [{ op: 'remove', path: '/metadata/nothing' }] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json move and copy',
      'PATCH',
      `${one}?${dry}`,
      [
        { op: 'copy', from: path, path: '/metadata/labels/b' },
        { op: 'move', from: path, path: '/metadata/labels/c' },
      ] as unknown as JsonValue,
      jsonPatch,
    ],
    [
      'json add to a list',
      'PATCH',
      `${one}?${dry}`,
      [
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/g' },
        { op: 'add', path: '/metadata/finalizers/9', value: 'example.com/h' },
      ] as unknown as JsonValue,
      jsonPatch,
    ],
    ['json of an object', 'PATCH', `${one}?${dry}`, {}, jsonPatch],
    ['patch as json', 'PATCH', `${one}?${dry}`, {}, json],
    ['patch of no type', 'PATCH', `${one}?${dry}`, {}, { 'Content-Type': 'text/plain' }],
    [
      'patch of cbor',
      'PATCH',
      `${one}?${dry}`,
      {},
      { 'Content-Type': 'application/apply-patch+cbor' },
    ],
  ];
}
