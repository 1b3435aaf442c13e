import { describe, expect, test } from 'vitest';
import { parseConfig } from './parse-config.ts';

const good = {
  hosts: [
    {
      host: 'a.example.com',
      alpn: ['h2'],
      allowSources: ['10.0.0.0/8'],
      backend: {
        endpoints: ['10.0.0.1:8443', '[::1]:8443', { address: 'b.internal', port: 1, weight: 0 }],
        balance: 'least-connections',
        proxyProtocol: 'v2',
      },
    },
  ],
  defaultBackend: { name: 'kong', endpoints: ['127.0.0.1:8443'], proxyProtocol: 'v1' },
  limits: { helloTimeoutMs: 500 },
  proxyProtocol: { mode: 'optional', trusted: ['127.0.0.1'] },
};

describe('parseConfig', () => {
  test('reads every field', () => {
    const { config, problems } = parseConfig(good);
    expect(problems).toEqual([]);
    expect(config.table.hosts[0]?.backend).toEqual({
      name: 'a.example.com',
      endpoints: [
        { address: '10.0.0.1', port: 8443 },
        { address: '::1', port: 8443 },
        { address: 'b.internal', port: 1, weight: 0 },
      ],
      balance: 'least-connections',
      proxyProtocol: 'v2',
    });
    expect(config.table.defaultBackend?.name).toBe('kong');
    expect(config.limits).toEqual({ helloTimeoutMs: 500 });
    expect(config.proxyProtocol).toEqual({ mode: 'optional', trusted: ['127.0.0.1'] });
  });

  test('what is not said is not there, down to the lists', () => {
    const { config, problems } = parseConfig({
      hosts: [
        { host: '*.example.com', alpn: [], allowSources: [], backend: { endpoints: ['a:1'] } },
      ],
    });
    expect(problems).toEqual([]);
    const backend = { name: '*.example.com', endpoints: [{ address: 'a', port: 1 }] };
    expect(config.table).toEqual({ hosts: [{ host: '*.example.com', backend }] });
    expect(config).not.toHaveProperty('proxyProtocol');
  });

  test.each([
    ['the least port', 'a:1', { address: 'a', port: 1 }],
    ['the last port', 'a:65535', { address: 'a', port: 65535 }],
    ['an address of IPv6', '[2001:db8::1]:443', { address: '2001:db8::1', port: 443 }],
    ['no weight at all', { address: 'a', port: 2 }, { address: 'a', port: 2 }],
    ['a weight', { address: 'a', port: 2, weight: 3 }, { address: 'a', port: 2, weight: 3 }],
  ])('an endpoint with %s', (_what, endpoint, expected) => {
    const { config, problems } = parseConfig({
      hosts: [{ host: 'a.b', backend: { endpoints: [endpoint] } }],
    });
    expect(problems).toEqual([]);
    expect(config.table.hosts[0]?.backend.endpoints).toEqual([expected]);
  });

  test.each([
    ['a:0'],
    ['a:65536'],
    [':80'],
    ['::1:80'],
    ['[::1]'],
    [{ address: 'a', port: 65536 }],
    [{ address: 'a', port: 1.5 }],
    [{ address: 'a', port: '80' }],
    [{ address: 'a', port: 80, weight: -1 }],
    [{ address: 'a', port: 80, weight: 0.5 }],
    [{ address: '', port: 80 }],
    [{ address: 'a', port: 80, more: 1 }],
  ])('an endpoint %j is refused', (endpoint) => {
    const { problems } = parseConfig({
      hosts: [{ host: 'a.b', backend: { endpoints: [endpoint] } }],
    });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.field).toMatch(/^hosts\[0\]\.backend\.endpoints\[0\]/);
  });

  const host = good.hosts[0]!;
  test.each([
    [[], '', 'must be an object'],
    [{ host: [] }, 'host', 'is not known here'],
    [{ hosts: {} }, 'hosts', 'must be a list'],
    [{ hosts: [{ ...host, host: 'a.*.com' }] }, 'hosts[0].host', "'a.*.com' is not a host name"],
    [{ hosts: [{ ...host, host: '' }] }, 'hosts[0].host', 'not empty'],
    [{ hosts: [host, { ...host, host: 'A.example.com.' }] }, 'hosts[1].host', 'is there already'],
    [
      { hosts: [{ host: 'a.b', backend: { endpoints: [] } }] },
      'hosts[0].backend.endpoints',
      'at least one',
    ],
    [
      { hosts: [{ host: 'a.b', backend: { endpoints: ['10.0.0.1'] } }] },
      'hosts[0].backend.endpoints[0]',
      'address:port',
    ],
    [
      { hosts: [{ host: 'a.b', backend: { endpoints: ['h:99999'] } }] },
      'hosts[0].backend.endpoints[0]',
      'address:port',
    ],
    [
      { hosts: [{ host: 'a.b', backend: { endpoints: [{ address: 'x', port: 0 }] } }] },
      'hosts[0].backend.endpoints[0].port',
      '1 to 65535',
    ],
    [
      { hosts: [{ ...host, allowSources: ['10.0.0.0/33'] }] },
      'hosts[0].allowSources[0]',
      'not an address',
    ],
    [{ limits: { idleTimeoutMs: -1 } }, 'limits.idleTimeoutMs', 'above 0'],
    [
      { proxyProtocol: { mode: 'always', trusted: ['::/0'] } },
      'proxyProtocol.mode',
      'one of optional, required',
    ],
    [{ proxyProtocol: { mode: 'optional' } }, 'proxyProtocol.trusted', 'must name'],
  ])('%j: the problem is at %s', (value, field, message) => {
    const { problems } = parseConfig(value);
    expect(problems).toContainEqual({ field, message: expect.stringContaining(message) });
  });
});
