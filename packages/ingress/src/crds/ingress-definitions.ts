import { age, type CustomResourceDefinition, definition } from './definition.ts';
import {
  flag,
  listOf,
  loadBalancerStatus,
  portNumber,
  record,
  text,
  texts,
} from './structural-schema.ts';

const group = 'configuration.konghq.com';

const backend = record({ serviceName: { type: 'string', minLength: 1 }, servicePort: portNumber }, [
  'serviceName',
  'servicePort',
]);

const address = {
  name: 'Address',
  type: 'string',
  jsonPath: '.status.loadBalancer.ingress[*].ip',
} as const;

export const tcpIngress: CustomResourceDefinition = definition({
  group,
  version: 'v1beta1',
  kind: 'TCPIngress',
  plural: 'tcpingresses',
  properties: {
    spec: record({
      rules: listOf(record({ host: text, port: portNumber, backend }, ['backend'])),
      tls: listOf(record({ hosts: texts, secretName: text })),
    }),
    status: loadBalancerStatus,
  },
  columns: [address, age],
});

export const udpIngress: CustomResourceDefinition = definition({
  group,
  version: 'v1beta1',
  kind: 'UDPIngress',
  plural: 'udpingresses',
  properties: {
    spec: record({ rules: listOf(record({ port: portNumber, backend }, ['backend', 'port'])) }),
    status: loadBalancerStatus,
  },
  columns: [address, age],
});

export const ingressClassParameters: CustomResourceDefinition = definition({
  group,
  version: 'v1alpha1',
  kind: 'IngressClassParameters',
  plural: 'ingressclassparameterses',
  properties: {
    spec: record({
      serviceUpstream: { ...flag, default: false },
      enableLegacyRegexDetection: { ...flag, default: false },
    }),
  },
  hasStatus: false,
});
