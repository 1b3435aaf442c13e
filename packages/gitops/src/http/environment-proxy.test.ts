import { expect, test } from 'vitest';
import { environmentProxy, proxyVariables } from './environment-proxy.ts';

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

test('without variables, or with those that make no sense, nothing does', () => {
  const url = new URL('https://ghcr.io/');
  expect(environmentProxy(url, {})).toBeUndefined();
  expect(environmentProxy(url, { HTTPS_PROXY: 'socks5://x' })).toBeUndefined();
  expect(environmentProxy(url, { HTTPS_PROXY: 'http://' })).toBeUndefined();
  expect(environmentProxy(url, { ...environment, NO_PROXY: '*' })).toBeUndefined();
});

test('curl is given them by its own names', () => {
  expect(proxyVariables(environment)).toEqual({
    https_proxy: environment.HTTPS_PROXY,
    http_proxy: environment.http_proxy,
    no_proxy: environment.NO_PROXY,
  });
});
