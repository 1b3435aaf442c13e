import { describe, expect, test } from 'vitest';
import { isAddressOrNetwork, parseAddressRanges, plainAddress } from './address-range.ts';

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['0.0.0.0/0', true],
  ['fd00::/8', true],
  ['::1/128', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/-1', false],
  ['10.0.0', false],
  ['example.com', false],
  ['', false],
])('%j is an address or a network: %s', (text, expected) => {
  expect(isAddressOrNetwork(text)).toBe(expected);
});

describe('ranges', () => {
  const ranges = parseAddressRanges(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);

  test.each([
    ['10.255.0.1', true],
    ['::ffff:10.1.2.3', true],
    ['11.0.0.1', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['fd12::1%eth0', true],
    ['fe80::1', false],
    ['no address', false],
    ['', false],
  ])('contain %j: %s', (address, expected) => {
    expect(ranges?.contains(address)).toBe(expected);
  });

  test('none contains nothing, and one that cannot be read spoils all', () => {
    expect(parseAddressRanges([])?.contains('10.0.0.1')).toBe(false);
    expect(parseAddressRanges(['10.0.0.0/8', 'x'])).toBeUndefined();
  });
});

test.each([
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:c000:207', '::ffff:c000:207'],
  ['192.0.2.7', '192.0.2.7'],
])('%j is plainly %j', (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});
