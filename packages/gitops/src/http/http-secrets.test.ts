import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { proxyUrlOf } from './proxy-secret.ts';
import { tlsSettingsOf } from './tls-secret.ts';

describe('the proxy of a Secret', () => {
  test.each([
    [undefined, undefined],
    [{ address: 'http://proxy:3128' }, 'http://proxy:3128/'],
    [{ address: 'https://proxy' }, 'https://proxy/'],
    [{ address: 'http://proxy', username: 'me' }, 'http://me@proxy/'],
    [{ address: 'http://proxy', username: 'm@', password: 'p:' }, 'http://m%40:p%3A@proxy/'],
    [{ address: 'http://old:gone@proxy', username: 'me', password: 'new' }, 'http://me:new@proxy/'],
    [{ address: 'http://kept:too@proxy' }, 'http://kept:too@proxy/'],
  ])('%j is %s', (secret, wanted) => {
    expect(proxyUrlOf(secret)?.href).toBe(wanted);
  });

  test.each([
    [{}, "key 'address' is missing"],
    [{ address: '' }, "key 'address' is missing"],
    [{ address: 'proxy' }, 'its address is no URL'],
    [{ address: 'socks5://proxy' }, "proxies of kind 'socks5:' are not supported"],
  ])('%j is refused', (secret, message) => {
    expect(() => proxyUrlOf(secret)).toThrow(message);
  });
});

describe('the certificates of a Secret', () => {
  const roots = [...rootCertificates];

  test.each([
    [undefined, {}],
    [{ 'ca.crt': 'A' }, { ca: [...roots, 'A'] }],
    [{ caFile: 'A' }, { ca: [...roots, 'A'] }],
    [{ 'ca.crt': 'A', caFile: 'B' }, { ca: [...roots, 'A'] }],
    [
      { 'tls.crt': 'C', 'tls.key': 'K' },
      { cert: 'C', key: 'K' },
    ],
    [
      { certFile: 'C', keyFile: 'K' },
      { cert: 'C', key: 'K' },
    ],
    [
      { 'ca.crt': 'A', 'tls.crt': 'C', keyFile: 'K' },
      { ca: [...roots, 'A'], cert: 'C', key: 'K' },
    ],
  ])('%j are taken', (secret, wanted) => {
    expect(tlsSettingsOf(secret, 'one')).toEqual(wanted);
  });

  test.each([
    [{}, "invalid 'one' secret data: neither 'ca.crt' nor 'tls.crt' and 'tls.key' are in it"],
    [{ password: 'x' }, 'neither'],
    [{ 'tls.crt': 'C' }, "'tls.crt' and 'tls.key' belong together"],
    [{ 'tls.key': 'K' }, 'belong together'],
    [{ 'ca.crt': 'A', 'tls.key': 'K' }, 'belong together'],
  ])('%j are refused', (secret, message) => {
    expect(() => tlsSettingsOf(secret, 'one')).toThrow(message);
  });
});
