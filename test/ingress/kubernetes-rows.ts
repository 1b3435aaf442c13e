import {
  backend,
  consumer,
  curl,
  gateway,
  gatewayClass,
  ingress,
  ingressClass,
  isDefault,
  keyAuth,
  keySecret,
  object,
  ours,
  protectedBy,
  type Row,
  route,
  service,
  slice,
} from './kind-row.ts';

/** Kinds that every cluster has. */
export const kubernetesRows: readonly Row[] = [
  {
    name: 'Ingress',
    objects: (place) => ({
      given: backend(place),
      created: ingress('ingress.test'),
      changed: ingress('ingress.test', { 'konghq.com/preserve-host': 'false' }),
    }),
    look: curl('ingress.test'),
    before: '404',
    afterCreate: '200 one ingress.test',
    afterChange: /^200 one (?!ingress\.test)/,
  },
  {
    name: 'Service',
    objects: (place) => ({
      given: [ingress('service.test'), ...slice('web', [place.one])],
      created: service('web'),
      changed: service('web', { 'konghq.com/path': '/deep' }),
    }),
    look: curl('service.test', '/x'),
    before: '503',
    afterCreate: '200 one service.test /x',
    afterChange: '200 one service.test /deep/x',
  },
  {
    name: 'EndpointSlice',
    objects: ({ one, two }) => ({
      given: [ingress('slice.test'), service('web')],
      created: slice('web', [one])[0]!,
      changed: slice('web', [two])[0]!,
    }),
    look: curl('slice.test'),
    before: '503',
    afterCreate: '200 one',
    afterChange: '200 two',
  },
  {
    name: 'Endpoints',
    objects: ({ one, two }) => {
      const endpoints = (port: number) =>
        object('v1', 'Endpoints', 'web', {
          subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'main', port }] }],
        });
      return {
        given: [ingress('endpoints.test'), service('web')],
        created: endpoints(one),
        changed: endpoints(two),
      };
    },
    look: curl('endpoints.test'),
    before: '503',
    afterCreate: '200 one',
    afterChange: '200 two',
  },
  {
    name: 'Secret',
    objects: (place) => ({
      given: [...backend(place), protectedBy('secret.test'), keyAuth, consumer('of-secret', ['k'])],
      created: keySecret('k', 'opens-secret'),
      changed: keySecret('k', 'opens-no-more'),
    }),
    look: curl('secret.test', '/', '-H', 'apikey: opens-secret'),
    before: '401',
    afterCreate: '200 one',
    afterChange: '401',
  },
  {
    name: 'ConfigMap',
    objects: ({ secure, authority, other }) => {
      const trust = (cert: string) =>
        object(
          'v1',
          'ConfigMap',
          'trust',
          { data: { id: '0f0e0d0c-0000-4000-8000-000000000001', 'ca.crt': cert } },
          { annotations: ours, labels: { 'konghq.com/ca-cert': 'true' } },
        );
      return {
        given: [
          service('web', {
            'konghq.com/protocol': 'https',
            'konghq.com/tls-verify': 'true',
            'konghq.com/host-header': 'localhost',
            'konghq.com/ca-certificates-configmaps': 'trust',
          }),
          ...slice('web', [secure]),
          ingress('localhost', {}, { path: '/configmap' }),
        ],
        created: trust(authority),
        changed: trust(other),
      };
    },
    look: curl('localhost', '/configmap'),
    before: '502',
    afterCreate: '200 secure',
    afterChange: '502',
  },
  {
    name: 'Namespace',
    objects: (place, namespace) => {
      const space = (labels: object) => object('v1', 'Namespace', namespace, {}, { labels });
      const from = { from: 'Selector', selector: { matchLabels: { may: 'attach' } } };
      return {
        given: [
          ...backend(place),
          gatewayClass('of-namespace'),
          gateway('of-namespace', { allowedRoutes: { namespaces: from } }),
          route('HTTPRoute', { hostnames: ['namespace.test'] }),
        ],
        created: space({ may: 'attach' }),
        changed: space({ may: 'not' }),
      };
    },
    look: curl('namespace.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '404',
  },
  {
    name: 'IngressClass',
    isForAll: true,
    objects: (place) => {
      const { spec, ...rest } = ingress('default-class.test') as { spec?: object };
      const { ingressClassName: _, ...classless } = spec as { ingressClassName: string };
      return {
        given: [...backend(place), { ...rest, spec: classless }],
        created: ingressClass(isDefault('true')),
        changed: ingressClass(isDefault('false')),
      };
    },
    look: curl('default-class.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '404',
  },
];
