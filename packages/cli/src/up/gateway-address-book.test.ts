import { describe, expect, test } from 'vitest';
import { GatewayAddressBook } from './gateway-address-book.ts';

const gateway = (name: string, asked: readonly object[] = [], has: readonly string[] = []) => ({
  metadata: { namespace: 'shop', name },
  spec: { addresses: asked },
  status: { addresses: has.map((value) => ({ value })) },
});

const bookOf = (range: string): GatewayAddressBook => {
  const book = GatewayAddressBook.parse(range);
  if (book === undefined) throw new Error(`${range} is no range`);
  return book;
};

describe('addresses of Gateways', () => {
  test('are given one each, and stay', () => {
    const book = bookOf('127.64.0.0/16');
    const [one, two] = ['one', 'two'].map((name) => book.addressOf(gateway(name)));
    expect([one, two]).toEqual(['127.64.0.1', '127.64.0.2']);
    expect(book.addressOf(gateway('one'))).toBe(one);
  });

  test.each([
    ['what it had before', gateway('a', [], ['127.64.0.9']), '127.64.0.9'],
    ['the next when it had another one', gateway('a', [], ['10.0.0.1']), '127.64.0.1'],
    ['what it asks for', gateway('a', [{ type: 'IPAddress', value: '127.64.0.7' }]), '127.64.0.7'],
    ['any when it asks for any', gateway('a', [{ type: 'IPAddress' }]), '127.64.0.1'],
    ['none outside of the range', gateway('a', [{ value: '192.0.2.1' }]), undefined],
    ['none by a name', gateway('a', [{ type: 'Hostname', value: 'a.example' }]), undefined],
    [
      'none unless it can have all',
      gateway('a', [{ value: '192.0.2.1' }, { value: '127.64.0.3' }]),
      undefined,
    ],
  ])('%s', (_, one, address) => {
    expect(bookOf('127.64.0.0/16').addressOf(one)).toBe(address);
  });

  test('are nobody else’s', () => {
    const book = bookOf('127.64.0.0/30');
    expect(book.addressOf(gateway('one'))).toBe('127.64.0.1');
    expect(book.addressOf(gateway('two', [{ value: '127.64.0.1' }]))).toBeUndefined();
    expect(book.addressOf(gateway('three'))).toBe('127.64.0.2');
    expect(book.addressOf(gateway('four'))).toBeUndefined();
    expect(book.addressOf(gateway('one'))).toBe('127.64.0.1');
  });

  test.each(['', '127.0.0.1', '127.64.0.0/33', '10.0.0.0/8', '127.64.0.0/x', '::1/64'])(
    '%j is no range',
    (range) => {
      expect(GatewayAddressBook.parse(range)).toBeUndefined();
    },
  );
});
