import { expect, test } from 'vitest';
import {
  changeAddress,
  commitAddress,
  objectAddress,
  objectKey,
  objectOfAddress,
  objectTitle,
  sameObject,
} from './addresses.ts';

const object = { group: 'a.test', version: 'v1', kind: 'Thing', namespace: 'shop', name: 'one' };

test.each([
  [object, '/objects/a.test/v1/Thing/shop/one'],
  [{ ...object, group: '' }, '/objects/core/v1/Thing/shop/one'],
  [{ ...object, namespace: '' }, '/objects/a.test/v1/Thing/-/one'],
  [{ ...object, name: 'system:a/b %' }, '/objects/a.test/v1/Thing/shop/system%3Aa%2Fb%20%25'],
])('%j has an address, and comes back from it', (one, address) => {
  expect(objectAddress(one)).toBe(address);
  expect(objectOfAddress(address)).toEqual(one);
});

test.each([
  '/objects',
  '/routes/a/v1/T/n/x',
  '/objects/a/v1/T/n',
  '/objects/a/v1/T/n/x/y',
  '/objects/a//T/n/x',
  '/objects/a/v1//n/x',
  '/objects/a/v1/T/n/',
])('%s is no object', (path) => {
  expect(objectOfAddress(path)).toBeUndefined();
});

test('a link that was cut in an escape is read as it is', () => {
  expect(objectOfAddress('/objects/core/v1/Pod/-/a%2')?.name).toBe('a%2');
});

test('objects are the same by group, kind, namespace and name, not by version', () => {
  expect(sameObject(object, { ...object, version: 'v2' })).toBe(true);
  for (const other of [{ group: '' }, { kind: 'X' }, { namespace: '' }, { name: 'x' }])
    expect(sameObject(object, { ...object, ...other })).toBe(false);
  expect(sameObject(object, undefined)).toBe(false);
  expect(sameObject(undefined, object)).toBe(false);
  expect(objectKey(object)).toBe('a.test/Thing/shop/one');
});

test('commits, changes and titles', () => {
  expect(commitAddress('a/b')).toBe('/commits/a%2Fb');
  expect(changeAddress('a b')).toBe('/changes/a%20b');
  expect(objectTitle(object)).toBe('shop/one');
  expect(objectTitle({ ...object, namespace: '' })).toBe('one');
});
