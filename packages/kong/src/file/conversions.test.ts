import { describe, expect, it } from 'vitest';
import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { conversionPairs, findConversion } from './conversions.ts';

function convert(from: string, to: string, config: object) {
  const conversion = findConversion(from, to)?.(config as DeclarativeConfig);
  return conversion?.config as unknown;
}

describe('findConversion', () => {
  it('knows pairs of formats, one way only', () => {
    expect(conversionPairs.every(([from, to]) => findConversion(from, to) !== undefined)).toBe(
      true,
    );
    expect(conversionPairs.some(([from, to]) => findConversion(to, from) !== undefined)).toBe(
      false,
    );
    expect(findConversion('konnect', 'kong-gateway')).toBeUndefined();
    expect(findConversion('constructor', '')).toBeUndefined();
  });
});

describe('3.4 to 3.10', () => {
  it.each([
    [
      'ai-proxy',
      { model: { options: { upstream_path: '/p' } } },
      { model: { options: { upstream_url: '/p' } } },
    ],
    [
      'rate-limiting-advanced',
      { redis: { cluster_addresses: ['a'] } },
      { redis: { cluster_nodes: ['a'] } },
    ],
    [
      'ai-rate-limiting-advanced',
      { llm_providers: [{ limit: 1, window_size: [2] }] },
      { llm_providers: [{ window_size: [2], limit: [1] }] },
    ],
    [
      'rate-limiting',
      { redis: { cluster_addresses: ['a'] } },
      { redis: { cluster_addresses: ['a'] } },
    ],
  ])('%s', (name, config, wanted) => {
    const nested = {
      services: [{ name: 's', routes: [{ name: 'r', plugins: [{ name, config }] }] }],
    };
    const got = convert('3.4', '3.10', nested);
    expect(got).toEqual({
      services: [{ name: 's', routes: [{ name: 'r', plugins: [{ name, config: wanted }] }] }],
    });
    // A second time nothing is left to change.
    expect(findConversion('3.4', '3.10')?.(got as DeclarativeConfig).changes).toEqual([]);
  });
});

describe('3.10 to 3.14', () => {
  it.each([
    ['key-auth', undefined, { hide_credentials: false }],
    ['key-auth', { hide_credentials: true }, { hide_credentials: true }],
    ['rate-limiting', { minute: 5 }, { minute: 5 }],
    ['rate-limiting', { redis: {} }, { redis: { ssl_verify: false } }],
    [
      'request-callout',
      { callouts: [{ request: { http_opts: {} } }] },
      { callouts: [{ request: { http_opts: { ssl_verify: false } } }] },
    ],
    [
      'datakit',
      { nodes: [{ type: 'call' }, { type: 'jq' }] },
      { nodes: [{ type: 'call', ssl_verify: false }, { type: 'jq' }] },
    ],
    ['cors', { plugins: [{ name: 'key-auth' }] }, { plugins: [{ name: 'key-auth' }] }],
  ])('%s %j', (name, config, wanted) => {
    const plugin = config === undefined ? { name } : { name, config };
    const got = convert('3.10', '3.14', { consumers: [{ username: 'c', plugins: [plugin] }] });
    expect(got).toEqual({ consumers: [{ username: 'c', plugins: [{ name, config: wanted }] }] });
    expect(findConversion('3.10', '3.14')?.(got as DeclarativeConfig).changes).toEqual([]);
  });

  it('says what services and routes had by default', () => {
    const services = [
      { name: 'a', protocol: 'https', routes: [{ name: 'r' }] },
      { name: 'b', protocol: 'http' },
    ];
    expect(convert('3.10', '3.14', { services })).toEqual({
      services: [
        {
          name: 'a',
          protocol: 'https',
          tls_verify: false,
          routes: [{ name: 'r', protocols: ['http', 'https'] }],
        },
        { name: 'b', protocol: 'http' },
      ],
    });
  });
});
