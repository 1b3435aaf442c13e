import { kinds } from '@waygate/schema';
import { expect, test } from 'vitest';
import { controllerReference } from './controller-reference.ts';
import { ownerKeys } from './controller-source.ts';

test('leads from what is owned back to its owner', () => {
  const owner = { metadata: { name: 'web', namespace: 'shop', uid: '1' } };
  const reference = controllerReference(kinds.Deployment, owner as never);
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    uid: '1',
    controller: true,
    blockOwnerDeletion: true,
  });
  const owned = { metadata: { name: 'x', namespace: 'shop', ownerReferences: [reference] } };
  expect(ownerKeys(kinds.Deployment)(owned)).toEqual(['shop/web']);
});

test('an owner that was never in the API owns nothing', () => {
  const owner = { metadata: { name: 'web' } };
  expect(() => controllerReference(kinds.Deployment, owner as never)).toThrow(/no uid/);
});
