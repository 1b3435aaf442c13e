import { expect, test } from 'vitest';
import type { ChangeDetail, ChangeRow } from '../../../../src/protocol/changes.ts';
import { sumOfCommit } from './commit-sum.ts';

const row: ChangeRow = {
  id: '1',
  at: 0,
  kind: 'apply',
  title: '',
  namespaces: [],
  objects: [],
  hasDetail: true,
};
const object = { group: '', version: 'v1', kind: 'Service', namespace: 'shop', name: 'cart' };
const applied: ChangeDetail = {
  change: row,
  objects: [{ object, action: 'configured', before: 'a', after: 'b' }],
  entities: [{ kind: 'routes', name: 'cart', action: 'created', before: '', after: 'b' }],
};

test('a commit is summed up: what was changed twice is one, and what is not is not told', () => {
  expect(sumOfCommit([])).toEqual([]);
  expect(sumOfCommit([applied, applied])).toEqual([
    { text: '1 object in the cluster', isBad: false },
    { text: '1 entity in the gateway', isBad: false },
  ]);
  const other = { ...object, namespace: 'payments' };
  const failed: ChangeDetail = { change: { ...row, kind: 'error' }, objects: [], entities: [] };
  expect(
    sumOfCommit([
      applied,
      {
        ...applied,
        objects: [{ object: other, action: 'created', before: '', after: 'x' }],
        entities: [],
      },
      failed,
    ]),
  ).toEqual([
    { text: '2 objects in the cluster', isBad: false },
    { text: '1 entity in the gateway', isBad: false },
    { text: '1 error', isBad: true },
  ]);
});
