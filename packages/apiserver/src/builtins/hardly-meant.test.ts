import { expect, test } from 'vitest';
import { ingressStrategy } from './ingress.ts';
import { podWarnings } from './pod-warnings.ts';
import { serviceWarnings } from './service-rules.ts';

// The words are those of Kubernetes 1.36.
const object = (metadata: object, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name: 'a', ...metadata },
  spec,
});
const old = { annotations: { 'kubernetes.io/ingress.class': 'x' } };

test.each([
  [
    podWarnings(object({}, { nodeSelector: { 'beta.kubernetes.io/os': 'linux', disk: 'ssd' } })),
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
    ],
  ],
  [
    podWarnings(
      object(
        {},
        { containers: [{ resources: { requests: { memory: '1500m' }, limits: { cpu: '5m' } } }] },
      ),
    ),
    [
      'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
  [
    serviceWarnings(object({}, { clusterIP: 'None', sessionAffinity: 'ClientIP' })),
    ['spec.SessionAffinity is ignored for headless services'],
  ],
  [serviceWarnings(object({}, { clusterIP: '10.0.0.1', sessionAffinity: 'ClientIP' })), []],
  [
    ingressStrategy.warnings?.(object(old, {})),
    [
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    ],
  ],
  // Who only changes one was told before.
  [ingressStrategy.warnings?.(object(old, {}), object(old, {})), []],
])('%j', (warnings, wanted) => {
  expect(warnings).toEqual(wanted);
});
