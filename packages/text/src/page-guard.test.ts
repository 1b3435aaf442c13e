import { describe, expect, test } from 'vitest';
import { isLoopback, type PageGuard, pageRefusal, type RequestHeaders } from './page-guard.ts';

const loopback: PageGuard = { host: '127.0.0.1' };

describe('what programs send is let through', () => {
  test.each<[string, RequestHeaders, PageGuard]>([
    ['an address', { host: '127.0.0.1:8001' }, loopback],
    ['localhost', { host: 'localhost:8001' }, loopback],
    ['LOCALHOST.', { host: 'LOCALHOST.:8001' }, loopback],
    ['a name below localhost', { host: 'admin.localhost:8001' }, loopback],
    ['another loopback address', { host: '127.8.0.1' }, loopback],
    ['IPv6', { host: '[::1]:8001' }, { host: '::1' }],
    ['no Host at all, as HTTP/1.0 may', {}, loopback],
    ['the address that it is bound to', { host: '10.0.0.7:8001' }, { host: '10.0.0.7' }],
    ['a name that was given', { host: 'source.svc' }, { ...loopback, names: ['source.svc'] }],
    ['any name, where TLS checks it', { host: 'a.example' }, { ...loopback, isNameChecked: false }],
    ['an address typed into a browser', { host: 'localhost', 'sec-fetch-site': 'none' }, loopback],
    [
      'a page of the server itself',
      { host: 'localhost:1', origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' },
      loopback,
    ],
    [
      'a page whose origin was asked for',
      { host: 'localhost:1', origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' },
      { ...loopback, origins: ['http://localhost:3000'] },
    ],
  ])('%s', (_what, headers, guard) => {
    expect(pageRefusal(headers, guard)).toBeUndefined();
  });
});

describe('what a page of another origin can send is refused', () => {
  test.each<[string, RequestHeaders, string]>([
    ['a name rebound to loopback', { host: 'evil.example:8001' }, 'the Host "evil.example"'],
    [
      'the same, as its own origin',
      { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
      'the Host "evil.example"',
    ],
    ['a name that only looks like one', { host: '127.0.0.1.evil.example' }, 'the Host'],
    ['localhost in front', { host: 'localhost.evil.example:80' }, 'the Host'],
    ['an address in another notation', { host: '127.1' }, 'the Host'],
    ['an empty name', { host: '' }, 'the Host ""'],
    ['a Host with a user', { host: 'localhost@evil.example' }, 'the Host'],
    ['two Hosts', { host: ['localhost', 'evil.example'] }, 'the Host'],
    [
      'a form',
      { host: 'localhost', origin: 'http://evil.example' },
      'origin "http://evil.example"',
    ],
    ['a sandboxed frame', { host: 'localhost', origin: 'null' }, 'origin "null"'],
    [
      'another port of this machine',
      { host: 'localhost:1', origin: 'http://localhost:2' },
      'origin "http://localhost:2"',
    ],
    ['an extension', { host: 'localhost', origin: 'chrome-extension://abc' }, 'origin "chrome-'],
    ['a script or an image', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 'a browser'],
    [
      'the same from a neighbour',
      { host: 'localhost', 'sec-fetch-site': 'same-site' },
      'a browser',
    ],
  ])('%s', (_what, headers, message) => {
    expect(pageRefusal(headers, loopback)).toContain(message);
  });

  test('an origin that was asked for is taken as it is written, not as a beginning', () => {
    const guard = { ...loopback, origins: ['http://localhost:3000'] };
    for (const origin of ['http://localhost:30001', 'https://localhost:3000', 'http://localhost'])
      expect(pageRefusal({ host: 'localhost:1', origin }, guard)).toContain('origin');
  });

  test('a name that was rebound is refused even for an origin that was asked for', () => {
    const guard = { ...loopback, origins: ['http://app.example'] };
    expect(pageRefusal({ host: 'app.example', origin: 'http://app.example' }, guard)).toContain(
      'the Host',
    );
  });

  test('the message carries nothing that a terminal obeys', () => {
    expect(pageRefusal({ host: 'a\u001b[2Jb' }, loopback)).toContain('"a?[2jb"');
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['128.0.0.1', false],
  ['127.evil.example', false],
  ['notlocalhost', false],
])('%s is loopback: %s', (host, isLocal) => {
  expect(isLoopback(host)).toBe(isLocal);
});
