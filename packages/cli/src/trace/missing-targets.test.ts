import type { EndpointSlice, Service } from '@waygate/schema';
import { expect, test } from 'vitest';
import { whyMissing } from './missing-targets.ts';

const name = { namespace: 'shop', name: 'web' };
const service: Service = { metadata: name, spec: {} };
const slice: EndpointSlice = {
  metadata: name,
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false } }],
};
const said = (...args: Parameters<typeof whyMissing>): string => {
  const { message, fix } = whyMissing(...args);
  return `${message}; ${fix}`;
};

test.each([
  [
    { isUp: true },
    'no targets: Service shop/web is not there; add it to the manifests, or correct the name in the route',
  ],
  [
    { service, slices: [], isUp: true },
    'no targets: Service shop/web has no endpoints; nothing runs pods here: say in waygate.yaml what stands in for it (waygate init proposes it)',
  ],
  [
    { service, slices: [], isUp: false },
    'no targets: Service shop/web has no endpoints; Are there ready Pods behind it? Do its selector and port fit them?',
  ],
  [
    { service, slices: [slice], isUp: true },
    'no targets: Service shop/web has 1 endpoint, and none that is ready for this port; waygate problems says what is wrong with what stands in for it',
  ],
  [
    { service, slices: [slice, slice], isUp: false },
    'no targets: Service shop/web has 2 endpoints, and none that is ready for this port; kubectl get endpointslices -n shop -l kubernetes.io/service-name=web -o yaml shows them',
  ],
])('%#', (found, expected) => {
  expect(said(name, found)).toBe(expected);
});
