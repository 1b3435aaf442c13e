import { describe, expect, test } from 'vitest';
import { checkGitUrl, localPath, shownUrl, submoduleUrl } from './git-url.ts';

test.each([
  ['https://me:secret@example.com/r', 'https://example.com/r'],
  ['ssh://git@example.com/r', 'ssh://example.com/r'],
  ['https://example.com/a@b', 'https://example.com/a@b'],
  ['https://example.com', 'https://example.com'],
  ['HTTPS://me@example.com', 'HTTPS://example.com'],
])('%s is shown as %s', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});

describe('what a repository may be at', () => {
  test.each(['https://a.example/r', 'http://a.example/r', 'ssh://git@a.example/r', 'HTTPS://a/r'])(
    '%s',
    (url) => expect(() => checkGitUrl(url, false)).not.toThrow(),
  );

  test.each([
    ['ftp://a.example/r', "unsupported URL 'ftp://a.example/r'"],
    ['git@a.example:r', 'unsupported URL'],
    ['/srv/r', 'unsupported URL'],
    ['ext::sh -c x', 'unsupported URL'],
    ['ssh://-oProxyCommand=x/r', 'unsupported URL'],
    ['https://-x/r', 'unsupported URL'],
    ['ftp://me:secret@a/r', "unsupported URL 'ftp://a/r'"],
    ['https://', 'Invalid URL'],
    ['file:///srv/r', 'file:// URLs are not allowed here'],
  ])('not %s', (url, message) => {
    expect(() => checkGitUrl(url, false)).toThrow(message);
  });

  test('a directory of this machine, where that is allowed', () => {
    expect(() => checkGitUrl('file:///srv/r', true)).not.toThrow();
    expect(() => checkGitUrl('file://elsewhere/r', true)).toThrow();
    expect(localPath('file:///srv/a%20b')).toBe('/srv/a b');
  });
});

test.each([
  ['https://a.example/x/r', 'https://b.example/y', 'https://b.example/y'],
  ['https://a.example/x/r', '/y', '/y'],
  ['https://a.example/x/r', '../y', 'https://a.example/x/y'],
  ['https://a.example/x/r', './y', 'https://a.example/x/r/y'],
  ['https://a.example/x/r', '../../y//z/.', 'https://a.example/y/z'],
  ['https://a.example/x/r', '../../../../y', 'https://a.example/y'],
  ['https://a.example/x/r/', '../y', 'https://a.example/x/y'],
  ['ssh://git@a.example/r', '../y', 'ssh://git@a.example/y'],
  ['HTTPS://a.example/x/r', '../y', 'HTTPS://a.example/x/y'],
])('below %s the submodule %s is at %s', (base, url, wanted) => {
  expect(submoduleUrl(base, url)).toBe(wanted);
});
