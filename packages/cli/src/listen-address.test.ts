import { describe, expect, test } from 'vitest';
import { parseListenAddress } from './listen-address.ts';

describe('parseListenAddress', () => {
  test.each([
    ['8443', '127.0.0.1', 8443],
    [':8443', '::', 8443],
    ['0.0.0.0:443', '0.0.0.0', 443],
    ['[::1]:0', '::1', 0],
    ['localhost:80', 'localhost', 80],
  ])('%s', (text, host, port) => {
    expect(parseListenAddress(text)).toEqual({ host, port });
  });

  test.each(['', 'host', 'host:', '1.2.3.4:65536', '::1:80', 'host:-1', '[::1]'])(
    '%j is refused',
    (text) => {
      expect(() => parseListenAddress(text)).toThrow('must be host:port');
    },
  );
});
