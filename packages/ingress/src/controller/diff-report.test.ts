import type { Operation } from '@waygate/kong';
import { FakeClock } from '@waygate/runtime';
import { expect, test } from 'vitest';
import { DiffReport } from './diff-report.ts';

const tags = ['k8s-name:web', 'k8s-namespace:shop', 'k8s-kind:Ingress', 'k8s-uid:u1'];
const written: Operation = {
  index: 0,
  op: 'update',
  collection: 'keyauth_credentials',
  id: '1',
  label: 'key of bob',
  before: { id: '1', key: 'OLD-SECRET', tags },
  after: { id: '1', key: 'NEW-SECRET', tags },
  changes: [{ path: ['key'], before: 'OLD-SECRET', after: 'NEW-SECRET' }],
  dependsOn: [],
};

test('shows what was written and for whom, and no secret', () => {
  const report = new DiffReport(new FakeClock());
  expect(report.show()).toMatchObject({ message: 'no diffs available' });
  report.add([written]);
  const shown = report.show() as { hash: string; diffs: unknown[] };
  expect(shown.diffs).toMatchObject([
    {
      kubernetesResource: { Name: 'web', Namespace: 'shop', UID: 'u1' },
      kongEntity: { name: 'key of bob' },
      action: 'update',
    },
  ]);
  expect(JSON.stringify(shown)).not.toContain('SECRET');
  expect(report.show(shown.hash)).toEqual(shown);
  expect(report.show('other')).toMatchObject({ message: 'diff with hash "other" not found' });
});

test('keeps the latest ones only', () => {
  const report = new DiffReport(new FakeClock());
  for (let round = 0; round < 9; round += 1) report.add([written]);
  expect((report.show() as { Available: unknown[] }).Available).toHaveLength(5);
});
