import {
  adminHas,
  answering,
  backend,
  consumer,
  curl,
  ingress,
  ingressClass,
  keyAuth,
  keySecret,
  knativeIngress,
  kong,
  object,
  ours,
  overTcp,
  overUdp,
  plugin,
  programmed,
  protectedBy,
  type Row,
  service,
  slice,
  streamIngress,
} from './kind-row.ts';

/** Kong's own kinds, and the Ingress of Knative. */
export const kongRows: readonly Row[] = [
  {
    name: 'KongIngress',
    objects: (place) => {
      const override = (host_header: string) =>
        object(`${kong}/v1`, 'KongIngress', 'o', { upstream: { host_header } });
      return {
        given: [
          service('web', { 'konghq.com/override': 'o' }),
          ...slice('web', [place.one]),
          ingress('kongingress.test', { 'konghq.com/preserve-host': 'false' }),
        ],
        created: override('first.test'),
        changed: override('second.test'),
      };
    },
    look: curl('kongingress.test'),
    before: /^200 one (?!first|second)/,
    afterCreate: '200 one first.test',
    afterChange: '200 one second.test',
  },
  {
    name: 'KongPlugin',
    objects: (place) => ({
      given: [...backend(place), ingress('plugin.test', { 'konghq.com/plugins': 'end' })],
      created: plugin('end', 'request-termination', { status_code: 418 }),
      changed: plugin('end', 'request-termination', { status_code: 410 }),
    }),
    look: curl('plugin.test'),
    // No route serves without a plugin that it names, neither before it is there nor when it went.
    before: '404',
    afterCreate: '418',
    afterChange: '410',
    afterDelete: '410',
  },
  {
    name: 'KongClusterPlugin',
    objects: (place) => {
      const end = (status_code: number) =>
        object(
          `${kong}/v1`,
          'KongClusterPlugin',
          'cluster-end',
          { plugin: 'request-termination', config: { status_code } },
          { annotations: ours },
        );
      return {
        given: [
          ...backend(place),
          ingress('cluster.test', { 'konghq.com/plugins': 'cluster-end' }),
        ],
        created: end(418),
        changed: end(410),
      };
    },
    look: curl('cluster.test'),
    // No route serves without a plugin that it names, neither before it is there nor when it went.
    before: '404',
    afterCreate: '418',
    afterChange: '410',
    afterDelete: '410',
  },
  {
    name: 'KongConsumer',
    objects: (place) => ({
      given: [
        ...backend(place),
        protectedBy('consumer.test'),
        keyAuth,
        keySecret('k1', 'opens-consumer'),
        keySecret('k2', 'opens-another'),
      ],
      created: consumer('of-consumer', ['k1']),
      changed: consumer('of-consumer', ['k2']),
    }),
    look: curl('consumer.test', '/', '-H', 'apikey: opens-consumer'),
    before: '401',
    afterCreate: '200 one',
    afterChange: '401',
  },
  {
    // The embedded gateway has no consumer groups, as Kong without Enterprise: that must be said, and
    // must not stop the other rows.
    name: 'KongConsumerGroup',
    objects: () => {
      const group = (tag: string) =>
        object(
          `${kong}/v1beta1`,
          'KongConsumerGroup',
          'gold',
          {},
          { annotations: { ...ours, 'konghq.com/tags': tag } },
        );
      return { created: group('first'), changed: group('second') };
    },
    look: programmed('kongconsumergroup', 'gold'),
    before: 'none',
    afterCreate: 'False Invalid',
    afterChange: 'False Invalid',
  },
  {
    name: 'KongUpstreamPolicy',
    objects: ({ one, two }) => {
      const policy = (spec: object) =>
        object(`${kong}/v1beta1`, 'KongUpstreamPolicy', 'p', { spec });
      return {
        given: [
          service('web', { 'konghq.com/upstream-policy': 'p' }),
          ...slice('web', [one, two]),
          ingress('policy.test'),
        ],
        created: policy({ algorithm: 'consistent-hashing', hashOn: { header: 'x-user' } }),
        changed: policy({ algorithm: 'round-robin' }),
      };
    },
    look: answering('policy.test', '-H', 'x-user: somebody'),
    before: 'one two',
    afterCreate: /^(one|two)$/,
    afterChange: 'one two',
  },
  {
    name: 'KongVault',
    objects: () => {
      const vault = (description: string) =>
        object(
          `${kong}/v1alpha1`,
          'KongVault',
          'v',
          { spec: { backend: 'env', prefix: 'safe', description, config: { prefix: 'safe_' } } },
          { annotations: ours },
        );
      return { created: vault('first'), changed: vault('second') };
    },
    look: adminHas('/vaults', 'description'),
    before: 'none',
    afterCreate: 'first',
    afterChange: 'second',
  },
  {
    name: 'KongServiceFacade',
    objects: (place) => {
      const facade = (name: string) =>
        object(
          'incubator.ingress-controller.konghq.com/v1alpha1',
          'KongServiceFacade',
          'f',
          { spec: { backendRef: { name, port: 80 } } },
          { annotations: ours },
        );
      const resource = {
        apiGroup: 'incubator.ingress-controller.konghq.com',
        kind: 'KongServiceFacade',
        name: 'f',
      };
      return {
        given: [
          ...backend(place),
          service('other'),
          ...slice('other', [place.two]),
          ingress('facade.test', {}, { backend: { resource } }),
        ],
        created: facade('web'),
        changed: facade('other'),
      };
    },
    look: curl('facade.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '200 two',
  },
  {
    name: 'TCPIngress',
    isForAll: true,
    objects: (place) => ({
      given: [...backend(place), service('other'), ...slice('other', [place.two])],
      created: streamIngress('TCPIngress', place.tcpPort, 'web'),
      changed: streamIngress('TCPIngress', place.tcpPort, 'other'),
    }),
    look: overTcp,
    before: 'closed',
    afterCreate: 'one',
    afterChange: 'two',
  },
  {
    name: 'UDPIngress',
    isForAll: true,
    objects: ({ udpPort, udpOne, udpTwo }) => ({
      given: [
        service('web', {}, 'UDP'),
        ...slice('web', [udpOne], 'UDP'),
        service('other', {}, 'UDP'),
        ...slice('other', [udpTwo], 'UDP'),
      ],
      created: streamIngress('UDPIngress', udpPort, 'web'),
      changed: streamIngress('UDPIngress', udpPort, 'other'),
    }),
    look: overUdp,
    before: 'silent',
    afterCreate: 'one',
    afterChange: 'two',
  },
  {
    name: 'IngressClassParameters',
    isForAll: true,
    objects: (place, namespace) => {
      const parameters = (enableLegacyRegexDetection: boolean) =>
        object(`${kong}/v1alpha1`, 'IngressClassParameters', 'how', {
          spec: { enableLegacyRegexDetection },
        });
      return {
        given: [
          ...backend(place),
          ingress('parameters.test', {}, { path: '/v[0-9]+', pathType: 'ImplementationSpecific' }),
          ingressClass(
            {},
            {
              parameters: {
                apiGroup: kong,
                kind: 'IngressClassParameters',
                name: 'how',
                namespace,
                scope: 'Namespace',
              },
            },
          ),
        ],
        created: parameters(true),
        changed: parameters(false),
      };
    },
    look: curl('parameters.test', '/v12'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '404',
  },
  {
    name: 'Knative Ingress',
    objects: (place) => ({
      given: [...backend(place), service('other'), ...slice('other', [place.two])],
      created: knativeIngress('web'),
      changed: knativeIngress('other'),
    }),
    look: curl('knative.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '200 two',
  },
];
