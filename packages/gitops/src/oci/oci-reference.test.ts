import { describe, expect, test } from 'vitest';
import { allowsPlainHttp, isTag, parseOciUrl } from './oci-reference.ts';

describe('a URL', () => {
  test.each([
    ['oci://ghcr.io/org/app', 'ghcr.io', 'org/app'],
    ['oci://localhost/app', 'localhost', 'app'],
    ['oci://127.0.0.1:5000/app', '127.0.0.1:5000', 'app'],
    ['oci://docker.io/nginx', 'index.docker.io', 'library/nginx'],
    ['oci://org/app', 'index.docker.io', 'org/app'],
    ['oci://example.com:443/app', 'example.com:443', 'app'],
  ])('%s', (url, registry, repository) => {
    expect(parseOciUrl(url)).toEqual({ registry, repository, shown: `${registry}/${repository}` });
  });

  test.each([
    ['https://ghcr.io/org/app', 'URL must be in format'],
    ['oci://ghcr.io/app:1.0.0', 'repository can only contain the characters'],
    ['oci://ghcr.io/App', 'repository can only contain the characters'],
    ['oci://ghcr.io/a', 'between 2 and 255'],
    ['oci://ghcr.io/a/../../b', 'empty part'],
    ['oci://me@ghcr.io/app', 'registries must be valid'],
    ['oci://gh?cr.io/app', 'registries must be valid'],
  ])('refuses %s', (url, message) => {
    expect(() => parseOciUrl(url)).toThrow(message);
  });
});

test.each([
  ['localhost:5000', true],
  ['127.0.0.1', true],
  ['[::1]:5000', true],
  ['10.1.2.3:5000', true],
  ['192.168.0.1', true],
  ['registry.default.svc.cluster.local:5000', true],
  ['11.1.2.3', false],
  ['127.0.0.1.example.com', false],
  ['ghcr.io', false],
  ['172.32.0.1', false],
])('%s may be asked without TLS: %s', (registry, isAllowed) => {
  expect(allowsPlainHttp(registry)).toBe(isAllowed);
});

test.each([
  ['1.0.0', true],
  ['a'.repeat(128), true],
  ['a'.repeat(129), false],
  ['a/b', false],
  ['../x', false],
  ['', false],
])('%s is a tag: %s', (text, isOne) => expect(isTag(text)).toBe(isOne));
