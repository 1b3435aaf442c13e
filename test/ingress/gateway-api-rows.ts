import {
  backend,
  curl,
  gateway,
  gatewayApi,
  gatewayClass,
  object,
  ours,
  overGrpc,
  overTcp,
  overTls,
  overUdp,
  type Row,
  route,
  service,
  slice,
} from './kind-row.ts';

/** The kinds of the Gateway API. */
export const gatewayApiRows: readonly Row[] = [
  {
    name: 'GatewayClass',
    objects: (place) => ({
      given: [
        ...backend(place),
        gateway('late'),
        route('HTTPRoute', { hostnames: ['class.test'] }),
      ],
      created: gatewayClass('late'),
      changed: { ...gatewayClass('late'), metadata: { name: 'late', labels: { still: 'ours' } } },
    }),
    look: curl('class.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '200 one',
  },
  {
    name: 'Gateway',
    objects: (place) => ({
      given: [
        ...backend(place),
        gatewayClass('of-gateway'),
        route('HTTPRoute', { hostnames: ['gateway.test'] }),
      ],
      created: gateway('of-gateway'),
      changed: gateway('of-gateway', { hostname: 'other.test' }),
    }),
    look: curl('gateway.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '404',
  },
  {
    name: 'HTTPRoute',
    objects: (place) => ({
      given: [
        ...backend(place),
        service('other'),
        ...slice('other', [place.two]),
        gatewayClass('of-http'),
        gateway('of-http'),
      ],
      created: route('HTTPRoute', { hostnames: ['http.test'] }),
      changed: route('HTTPRoute', { hostnames: ['http.test'], backend: { name: 'other' } }),
    }),
    look: curl('http.test'),
    before: '404',
    afterCreate: '200 one',
    afterChange: '200 two',
  },
  {
    name: 'GRPCRoute',
    objects: (place) => {
      const method = (name: string) => ({
        hostnames: ['grpc.test'],
        rule: { matches: [{ method: { service: 'shop.Catalog', method: name } }] },
      });
      return {
        given: [
          service('web', { 'konghq.com/protocol': 'grpc' }),
          ...slice('web', [place.grpc]),
          gatewayClass('of-grpc'),
          gateway('of-grpc'),
        ],
        created: route('GRPCRoute', method('List')),
        changed: route('GRPCRoute', method('Get')),
      };
    },
    look: overGrpc('grpc.test', '/shop.Catalog/List'),
    before: '404',
    afterCreate: '200 grpc',
    afterChange: '404',
  },
  {
    name: 'ReferenceGrant',
    objects: (place, namespace) => {
      const grant = (name: string) =>
        object(`${gatewayApi}/v1beta1`, 'ReferenceGrant', 'g', {
          spec: {
            from: [{ group: gatewayApi, kind: 'HTTPRoute', namespace: 'default' }],
            to: [{ group: '', kind: 'Service', name }],
          },
        });
      const inDefault = (one: ReturnType<typeof object>) => ({
        ...one,
        metadata: { ...one.metadata, namespace: 'default' },
      });
      return {
        given: [
          ...backend(place),
          gatewayClass('of-grant'),
          inDefault(gateway('of-grant')),
          inDefault(route('HTTPRoute', { hostnames: ['grant.test'], backend: { namespace } })),
        ],
        created: grant('web'),
        changed: grant('another'),
      };
    },
    look: curl('grant.test'),
    before: '500',
    afterCreate: '200 one',
    afterChange: '500',
  },
  {
    name: 'BackendTLSPolicy',
    objects: ({ secure, authority }) => {
      const policy = (hostname: string) =>
        object(`${gatewayApi}/v1`, 'BackendTLSPolicy', 'p', {
          spec: {
            targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
            validation: {
              hostname,
              caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'trust' }],
            },
          },
        });
      return {
        given: [
          service('web'),
          ...slice('web', [secure]),
          object(
            'v1',
            'ConfigMap',
            'trust',
            { data: { id: '0f0e0d0c-0000-4000-8000-000000000002', 'ca.crt': authority } },
            { annotations: ours, labels: { 'konghq.com/ca-cert': 'true' } },
          ),
          gatewayClass('of-tls-policy'),
          gateway('of-tls-policy'),
          route('HTTPRoute', {
            hostnames: ['localhost'],
            rule: { matches: [{ path: { type: 'PathPrefix', value: '/tls-policy' } }] },
          }),
        ],
        created: policy('localhost'),
        changed: { ...policy('localhost'), metadata: { name: 'p', labels: { still: 'there' } } },
      };
    },
    look: curl('localhost', '/tls-policy'),
    before: /^(400|502)/,
    afterCreate: '200 secure',
    afterChange: '200 secure',
  },
  {
    name: 'TCPRoute',
    isForAll: true,
    objects: (place) => ({
      given: [
        ...backend(place),
        service('other'),
        ...slice('other', [place.two]),
        gatewayClass('of-tcp'),
        gateway('of-tcp', { protocol: 'TCP', port: place.tcpPort }),
      ],
      created: route('TCPRoute'),
      changed: route('TCPRoute', { backend: { name: 'other' } }),
    }),
    look: overTcp,
    before: 'closed',
    afterCreate: 'one',
    afterChange: 'two',
  },
  {
    name: 'UDPRoute',
    isForAll: true,
    objects: ({ udpPort, udpOne, udpTwo }) => ({
      given: [
        service('web', {}, 'UDP'),
        ...slice('web', [udpOne], 'UDP'),
        service('other', {}, 'UDP'),
        ...slice('other', [udpTwo], 'UDP'),
        gatewayClass('of-udp'),
        gateway('of-udp', { protocol: 'UDP', port: udpPort }),
      ],
      created: route('UDPRoute'),
      changed: route('UDPRoute', { backend: { name: 'other' } }),
    }),
    look: overUdp,
    before: 'silent',
    afterCreate: 'one',
    afterChange: 'two',
  },
  {
    name: 'TLSRoute',
    objects: (place) => ({
      given: [
        service('web'),
        ...slice('web', [place.secure]),
        gatewayClass('of-tls'),
        gateway('of-tls', { protocol: 'TLS', port: place.tlsPort, tls: { mode: 'Passthrough' } }),
      ],
      created: route('TLSRoute', { hostnames: ['tls.example.com'] }),
      changed: route('TLSRoute', { hostnames: ['elsewhere.example.com'] }),
    }),
    look: overTls('tls.example.com'),
    before: 'closed',
    afterCreate: 'secure',
    afterChange: 'closed',
  },
];
