import { age, type CustomResourceDefinition, definition, programmed } from './definition.ts';
import {
  anything,
  between,
  flag,
  listOf,
  oneOf,
  portNumber,
  record,
  type StructuralSchema,
  statusWithConditions,
  text,
  withRules,
} from './structural-schema.ts';

const group = 'configuration.konghq.com';

/** All three sections: the legacy naming reads them all, the modern one only the upstream. */
export const kongIngress: CustomResourceDefinition = definition({
  group,
  version: 'v1',
  kind: 'KongIngress',
  plural: 'kongingresses',
  shortNames: ['ki'],
  properties: { proxy: anything, route: anything, upstream: anything },
});

const hash = record({
  input: oneOf('ip', 'consumer', 'path', 'none'),
  header: text,
  cookie: text,
  cookiePath: text,
  queryArg: text,
  uriCapture: text,
});

const statuses = listOf(between(100, 599));
const count: StructuralSchema = { type: 'integer', minimum: 0 };
const healthy = record({ httpStatuses: statuses, interval: count, successes: count });
const unhealthy = record({
  httpFailures: count,
  httpStatuses: statuses,
  interval: count,
  tcpFailures: count,
  timeouts: count,
});
const checkType = oneOf('http', 'https', 'tcp', 'grpc', 'grpcs');

export const kongUpstreamPolicy: CustomResourceDefinition = definition({
  group,
  version: 'v1beta1',
  kind: 'KongUpstreamPolicy',
  plural: 'kongupstreampolicies',
  shortNames: ['kup'],
  properties: {
    spec: withRules(
      record({
        algorithm: oneOf(
          'round-robin',
          'consistent-hashing',
          'least-connections',
          'latency',
          'sticky-sessions',
        ),
        slots: between(10, 65_536),
        hashOn: hash,
        hashOnFallback: hash,
        stickySessions: record({ cookie: text, cookiePath: text }),
        healthchecks: record({
          active: record({
            concurrency: { type: 'integer', minimum: 1 },
            headers: { type: 'object', additionalProperties: listOf(text) },
            healthy,
            httpPath: { type: 'string', pattern: '^/.*$' },
            httpsSni: text,
            httpsVerifyCertificate: flag,
            timeout: count,
            type: checkType,
            unhealthy,
          }),
          passive: record({ healthy, type: checkType, unhealthy }),
          threshold: { type: 'integer' },
        }),
      }),
      [
        'has(self.hashOn) && has(self.hashOn.cookie) ? has(self.hashOn.cookiePath) : true',
        'When spec.hashOn.cookie is set, spec.hashOn.cookiePath is required.',
      ],
    ),
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
});

export const kongServiceFacade: CustomResourceDefinition = definition({
  group: 'incubator.ingress-controller.konghq.com',
  version: 'v1alpha1',
  kind: 'KongServiceFacade',
  plural: 'kongservicefacades',
  shortNames: ['ksf'],
  properties: {
    spec: record({ backendRef: record({ name: text, port: portNumber }, ['name', 'port']) }, [
      'backendRef',
    ]),
    status: statusWithConditions,
  },
  required: ['spec'],
  columns: [age, programmed],
});
