import { expect, test } from 'vitest';
import {
  environmentProxy,
  matchesNoProxy,
  parseProxy,
  proxyVariables,
} from './environment-proxy.ts';

const environment = {
  HTTPS_PROXY: 'http://secure.proxy:3128',
  http_proxy: 'plain.proxy:8080',
  NO_PROXY: 'example.com, .corp.net, 10.0.0.0/8, 192.0.2.7, exact.org:8443, fd00::/8',
};

test.each([
  ['https://ghcr.io/v2/', 'http://secure.proxy:3128/'],
  ['http://ghcr.io/v2/', 'http://plain.proxy:8080/'],
  ['https://example.com/', undefined],
  ['https://deep.example.com/', undefined],
  ['https://badexample.com/', 'http://secure.proxy:3128/'],
  ['https://a.corp.net/', undefined],
  ['https://corp.net/', 'http://secure.proxy:3128/'],
  ['https://10.1.2.3/', undefined],
  ['https://11.1.2.3/', 'http://secure.proxy:3128/'],
  ['https://192.0.2.7/', undefined],
  ['https://exact.org:8443/', undefined],
  ['https://exact.org/', 'http://secure.proxy:3128/'],
  ['https://[fd00::1]/', undefined],
  ['https://[2001:db8::1]/', 'http://secure.proxy:3128/'],
  ['http://localhost:5000/', undefined],
  ['http://127.0.0.1:5000/', undefined],
  ['http://[::1]:5000/', undefined],
])('%s goes through %s', (url, proxy) => {
  expect(environmentProxy(new URL(url), environment)?.href).toBe(proxy);
});

test('without variables, or with empty ones, nothing does; what cannot be a proxy is an error', () => {
  const url = new URL('https://ghcr.io/');
  expect(environmentProxy(url, {})).toBeUndefined();
  expect(environmentProxy(url, { HTTPS_PROXY: '', https_proxy: '' })).toBeUndefined();
  expect(environmentProxy(url, { ...environment, NO_PROXY: '*' })).toBeUndefined();
  for (const wrong of ['http://', 'ftp://user:secret@x', 'http://user:secret@:80:80']) {
    const reading = () => environmentProxy(url, { HTTPS_PROXY: wrong });
    expect(reading).toThrow(/no usable address|not supported/);
    expect(reading).not.toThrow(/secret/);
  }
});

test('the upper case wins, as in Go, unless it is empty', () => {
  const proxied = (variables: Record<string, string>) =>
    environmentProxy(new URL('https://a'), variables)?.href;
  expect(proxied({ HTTPS_PROXY: 'p:3128', https_proxy: 'http://q' })).toBe('http://p:3128/');
  expect(proxied({ HTTPS_PROXY: '', https_proxy: 'http://q' })).toBe('http://q/');
  expect(proxied({ HTTPS_PROXY: 'socks5://s:1' })).toBe('socks5://s:1');
  expect(parseProxy('s:1').href).toBe('http://s:1/');
});

test('curl is given them by its own names', () => {
  expect(proxyVariables(environment)).toEqual({
    https_proxy: environment.HTTPS_PROXY,
    http_proxy: environment.http_proxy,
    no_proxy: environment.NO_PROXY,
  });
});

test.each([
  ['https://api.example.com', 'example.com', true],
  ['https://example.com', 'example.com', true],
  ['https://example.com', '.example.com', false],
  ['https://api.example.com', '*.example.com', true],
  ['https://notexample.com', 'example.com', false],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3:6443', '10.1.2.3:6443', true],
  ['https://10.1.2.3:6443', '10.1.2.3:443', false],
  ['https://[fd00::7]', 'fd00::/8', true],
  ['https://[fd00::7]', 'fd00::7', true],
  ['https://x', '*', true],
  ['https://x', 'a, b ,x', true],
  ['https://localhost', '', true],
  ['https://app.localhost', '', true],
  ['https://127.example.com', '', false],
  ['https://127.0.0.5', '', true],
  ['https://x', '10.0.0.0/99,/8,x/y', false],
])('NO_PROXY: %s in %j is %s', (address, list, expected) => {
  expect(matchesNoProxy(new URL(address), list)).toBe(expected);
});
