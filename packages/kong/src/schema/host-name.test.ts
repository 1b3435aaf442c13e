import { describe, expect, test } from 'vitest';
import { serviceUrlProblem } from '../file/service-url.ts';
import { isIpOrCidr, normalizeHost, normalizeTarget } from './host-name.ts';

describe('a host', () => {
  test.each<[string, object]>([
    ['shop', { type: 'name', host: 'shop' }],
    ['shop.example.:80', { type: 'name', host: 'shop.example.', port: 80 }],
    ['a_b-c', { type: 'name', host: 'a_b-c' }],
    ['1.2.3.4', { type: 'ipv4', host: '1.2.3.4' }],
    ['1.2.3.4:65535', { type: 'ipv4', host: '1.2.3.4', port: 65_535 }],
    ['::1', { type: 'ipv6', host: '[0000:0000:0000:0000:0000:0000:0000:0001]' }],
    ['::', { type: 'ipv6', host: '[0000:0000:0000:0000:0000:0000:0000:0000]' }],
    ['[::1]:80', { type: 'ipv6', host: '[0000:0000:0000:0000:0000:0000:0000:0001]', port: 80 }],
    ['A:b::C', { type: 'ipv6', host: '[000a:000b:0000:0000:0000:0000:0000:000c]' }],
    ['1:2:3:4:5:6:7:8', { type: 'ipv6', host: '[0001:0002:0003:0004:0005:0006:0007:0008]' }],
    ['::ffff:1.2.3.4', { type: 'ipv6', host: '[0000:0000:0000:0000:0000:ffff:0102:0304]' }],
    ['1::7:8', { type: 'ipv6', host: '[0001:0000:0000:0000:0000:0000:0007:0008]' }],
  ])('%s', (address, host) => {
    expect(normalizeHost(address)).toEqual({ isValid: true, host });
  });

  test.each([
    'shop:65536',
    'a..b',
    'a-.b',
    'a b',
    '',
    ':',
    '1.2.3.4:65536',
    '1.2.3.256',
    '1.2.3',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    '12345::',
    'g::1',
    '[::1',
    '[::1]:',
    '[::1]:65536',
    '[::1]x',
    '::1.2.3',
    '::1.2.3.256',
  ])('%s is none', (address) => {
    expect(normalizeHost(address).isValid).toBe(false);
    expect(normalizeTarget(address)).toBeUndefined();
  });
});

test.each([
  ['shop', 'shop:8000'],
  ['shop:80', 'shop:80'],
  ['1.2.3.4', '1.2.3.4:8000'],
  ['[::1]:80', '[0000:0000:0000:0000:0000:0000:0000:0001]:80'],
])('the target %s is stored as %s', (target, stored) => {
  expect(normalizeTarget(target)).toBe(stored);
});

test.each([
  ['1.2.3.4', true],
  ['1.2.3.4/0', true],
  ['1.2.3.4/32', true],
  ['1.2.3.4/33', false],
  ['::1', true],
  ['::1/128', true],
  ['::1/129', false],
  ['[::1]', false],
  ['1.2.3.4:80', false],
  ['shop', false],
  ['1.2.3.4/', false],
  ['1.2.3.4/x', false],
  ['1.2.3.4/1/2', false],
])('%s is an address or a range: %s', (text, isOne) => {
  expect(isIpOrCidr(text)).toBe(isOne);
});

describe('the url of a service', () => {
  test.each([
    '',
    'http://a',
    'http://a:80/b?c#d',
    'http://a:',
    'http://[::1]:80',
    'http://me@a',
    'mailto:x%',
    'http://a/%41',
    'http://ä',
    'x:',
  ])('%s', (url) => expect(serviceUrlProblem(url)).toBeUndefined());

  test.each([
    ['a', 'invalid url:a'],
    ['/a', 'invalid url:/a'],
    ['//a', 'invalid url://a'],
    ['1a:b', 'invaid url: 1a:b'],
    ['http::b', 'invaid url: http::b'],
    ['http://a\n', 'invaid url: http://a\n'],
    ['http://a\u007f', 'invaid url: http://a\u007f'],
    ['http://a b', 'invaid url: http://a b'],
    ['http://a:x', 'invaid url: http://a:x'],
    ['http://[::1', 'invaid url: http://[::1'],
    ['http://[::1]x', 'invaid url: http://[::1]x'],
    ['http://a/%4', 'invaid url: http://a/%4'],
    ['http://a/%zz', 'invaid url: http://a/%zz'],
  ])('not %j', (url, problem) => expect(serviceUrlProblem(url)).toBe(problem));
});
