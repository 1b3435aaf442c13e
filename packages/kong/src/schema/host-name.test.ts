import { describe, expect, it } from 'vitest';
import { isIpOrCidr, normalizeHost, normalizeTarget } from './host-name.ts';

describe('normalizeHost', () => {
  it.each([
    ['a.test', { type: 'name', host: 'a.test' }],
    ['a.test:80', { type: 'name', host: 'a.test', port: 80 }],
    ['1.2.3.4:5', { type: 'ipv4', host: '1.2.3.4', port: 5 }],
    ['::1', { type: 'ipv6', host: '[0000:0000:0000:0000:0000:0000:0000:0001]' }],
    ['-a.test', { type: 'name', host: '-a.test' }],
  ])('reads %s', (text, host) => {
    expect(normalizeHost(text)).toEqual({ isValid: true, host });
  });

  it.each([
    ['a b', 'invalid hostname: a b'],
    ['a.test:99999', 'invalid port number'],
    ['1.2.3.400', 'invalid ipv4 address: 1.2.3.400'],
    ['a..b', 'invalid hostname: a..b'],
    [':::', 'invalid ipv6 address: :::'],
  ])('refuses %s', (text, message) => {
    expect(normalizeHost(text)).toEqual({ isValid: false, message });
  });
});

describe('normalizeTarget', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1:8000'],
    ['[::1]:80', '[0000:0000:0000:0000:0000:0000:0000:0001]:80'],
    ['a.test:80', 'a.test:80'],
    ['a b', undefined],
  ])('%s', (text, expected) => {
    expect(normalizeTarget(text)).toBe(expected);
  });
});

describe('isIpOrCidr', () => {
  it.each([
    ['10.0.0.0/8', true],
    ['10.0.0.1', true],
    ['2001:db8::/32', true],
    ['10.0.0.0/33', false],
    ['a.test', false],
    ['1.1.1.1:80', false],
  ])('%s', (text, expected) => {
    expect(isIpOrCidr(text)).toBe(expected);
  });
});
