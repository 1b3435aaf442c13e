import { describe, expect, test } from 'vitest';
import { adminAddressesOf } from './admin-address.ts';

const names = new Set(['admin-tls']);
const pod = { kind: 'Pod', namespace: 'kong', name: 'p' };

function slice(port: object, endpoint: object) {
  return {
    metadata: { namespace: 'kong' },
    ports: [{ name: 'admin-tls', port: 8444, ...port }],
    endpoints: [{ addresses: ['10.0.0.1'], targetRef: pod, ...endpoint }],
  };
}

describe('Admin APIs in an EndpointSlice', () => {
  test.each([
    ['a Pod', {}, {}, 'https://10.0.0.1:8444'],
    ['one that is not ready', {}, { conditions: { ready: false } }, 'https://10.0.0.1:8444'],
    ['IPv6', {}, { addresses: ['fd00::1'] }, 'https://[fd00::1]:8444'],
    ['plain HTTP', { appProtocol: 'http' }, {}, 'http://10.0.0.1:8444'],
    ['one that ends', {}, { conditions: { terminating: true } }, undefined],
    ['no Pod', {}, { targetRef: null }, undefined],
    ['another port', { name: 'proxy' }, {}, undefined],
  ])('%s', (_, port, endpoint, url) => {
    const [first] = adminAddressesOf(slice(port, endpoint), 'admin', names);
    expect(first?.url).toBe(url);
    if (first !== undefined) expect(first.tlsServerName).toBe('pod.admin.kong.svc');
  });
});
