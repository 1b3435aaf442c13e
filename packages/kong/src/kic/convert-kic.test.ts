import { isObject } from '@waygate/text';
import { describe, expect, it } from 'vitest';
import type { StateObject } from '../rewrite/state-document.ts';
import { convertToKic, writeKicJson } from './convert-kic.ts';
import { type KicTarget, objectName } from './manifest.ts';

const gateway: KicTarget = { className: 'kong', version: 3, api: 'gateway' };

const convert = (config: StateObject, target: Partial<KicTarget> = {}) =>
  convertToKic(config, { ...gateway, ...target });

const labels = (config: StateObject, target?: Partial<KicTarget>): string[] =>
  convert(config, target).manifests.map(
    ({ kind, metadata }) => `${kind}/${isObject(metadata) ? String(metadata.name) : ''}`,
  );

const one = (config: StateObject, kind: string, target?: Partial<KicTarget>): StateObject =>
  convert(config, target).manifests.find((made) => made.kind === kind) as StateObject;

const shop = (route: StateObject = {}, service: StateObject = {}): StateObject => ({
  services: [
    {
      name: 'shop',
      host: 'shop.example.com',
      port: 80,
      ...service,
      routes: [{ name: 'all', paths: ['/shop'], ...route }],
    },
  ],
});

describe('names', () => {
  it.each([
    ['shop', 'shop'],
    ['Shop & Söhne @ home', 'shop-and-sohne-at-home'],
    ['simple-service-_route_x', 'simple-service--route-x'],
    ['a_b', 'a-b'],
    ['(a)', 'a'],
    [
      'simple-service-_route_thisISAveryvery_long_+name_toVALIDATEthat(the slugify functionality w0rks4s3xp3ct3d)_',
      'simple-service--route-thisisaveryvery-long-b00bc5bc73',
    ],
  ])('%s is %s', (text, name) => expect(objectName(text)).toBe(name));
});

describe('services', () => {
  it('lead to a host, or to pods where they name an upstream or nothing', () => {
    expect(one(shop(), 'Service').spec).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      type: 'ExternalName',
      externalName: 'shop.example.com',
    });
    const pods = { selector: { app: 'shop' } };
    expect(one(shop({}, { host: null, port: null }), 'Service').spec).toEqual(pods);
    const upstream = { name: 'Shop.example.com', algorithm: 'round-robin' };
    expect(one({ ...shop(), upstreams: [upstream] }, 'Service').spec).toMatchObject(pods);
  });

  it('say the rest in annotations', () => {
    const fields = {
      protocol: 'http',
      path: '/v1',
      retries: 5,
      read_timeout: 1,
      tags: ['a', 'b'],
      client_certificate: { id: 'c' },
      plugins: [{ name: 'cors', enabled: false }],
    };
    expect(one(shop({}, fields), 'Service').metadata).toEqual({
      name: 'shop',
      annotations: {
        'konghq.com/protocol': 'http',
        'konghq.com/path': '/v1',
        'konghq.com/retries': '5',
        'konghq.com/read-timeout': '1',
        'konghq.com/tags': 'a,b',
        'konghq.com/client-cert': 'c',
        'konghq.com/plugins': 'shop-cors',
      },
    });
    expect(one(shop({}, fields), 'KongPlugin')).toMatchObject({ disabled: true, config: null });
  });

  it('take their upstream along, as either version has it', () => {
    const upstream = {
      name: 'shop.example.com',
      algorithm: 'consistent-hashing',
      hash_on: 'header',
      hash_on_header: 'x-user',
      healthchecks: { active: { http_path: '/up', headers: { x_y: ['1'] } } },
      tags: ['t'],
    };
    const config = { ...shop(), upstreams: [upstream] };
    expect(one(config, 'KongUpstreamPolicy').spec).toEqual({
      algorithm: 'consistent-hashing',
      hashOn: { input: 'header', header: 'x-user' },
      healthchecks: { threshold: 0, active: { httpPath: '/up', headers: { x_y: ['1'] } } },
    });
    const { name: _name, tags: _tags, ...kept } = upstream;
    expect(one(config, 'KongIngress', { version: 2 }).upstream).toEqual(kept);
    expect(one(config, 'Service', { version: 2 }).metadata).toMatchObject({
      annotations: { 'konghq.com/override': 'shop-upstream' },
    });
  });
});

describe('routes', () => {
  const route = {
    methods: ['GET', 'PUT'],
    paths: ['~/a$', '/b'],
    hosts: ['a.test'],
    headers: { 'x-b': ['1', '2'], 'x-a': ['~*x.*'] },
    strip_path: false,
    protocols: ['https'],
    plugins: [{ name: 'acl', config: {} }],
  };

  it('are HTTPRoutes with a rule for each path and method', () => {
    const { spec, metadata, apiVersion } = one(shop(route), 'HTTPRoute');
    expect(apiVersion).toBe('gateway.networking.k8s.io/v1');
    expect(metadata).toEqual({
      name: 'shop-all',
      annotations: { 'konghq.com/strip-path': 'false' },
    });
    const headers = [
      { name: 'x-a', type: 'RegularExpression', value: 'x.*' },
      { name: 'x-b', type: 'Exact', value: '1,2' },
    ];
    const rule = (path: object, method: string) => ({
      matches: [{ path, method, headers }],
      filters: [
        {
          type: 'ExtensionRef',
          extensionRef: {
            group: 'configuration.konghq.com',
            kind: 'KongPlugin',
            name: 'shop-all-acl',
          },
        },
      ],
      backendRefs: [{ name: 'shop', port: 80 }],
    });
    expect(spec).toEqual({
      hostnames: ['a.test'],
      parentRefs: [{ name: 'kong' }],
      rules: [
        rule({ type: 'RegularExpression', value: '/a$' }, 'GET'),
        rule({ type: 'RegularExpression', value: '/a$' }, 'PUT'),
        rule({ type: 'PathPrefix', value: '/b' }, 'GET'),
        rule({ type: 'PathPrefix', value: '/b' }, 'PUT'),
      ],
    });
    expect(one(shop({ paths: null }), 'HTTPRoute').spec).toMatchObject({
      rules: [{ backendRefs: [{ name: 'shop', port: 80 }] }],
    });
    expect(one(shop(), 'HTTPRoute', { version: 2 }).apiVersion).toMatch(/v1beta1$/);
  });

  it('are Ingresses when asked', () => {
    const made = one(shop(route), 'Ingress', { api: 'ingress', className: 'ours' });
    expect(made.metadata).toMatchObject({
      annotations: {
        'konghq.com/headers.x-a': '~*x.*',
        'konghq.com/headers.x-b': '1,2',
        'konghq.com/methods': 'GET,PUT',
        'konghq.com/plugins': 'shop-all-acl',
        'konghq.com/protocols': 'https',
        'konghq.com/strip-path': 'false',
      },
    });
    const path = (text: string) => ({
      path: text,
      pathType: 'ImplementationSpecific',
      backend: { service: { name: 'shop', port: { number: 80 } } },
    });
    expect(made.spec).toEqual({
      ingressClassName: 'ours',
      rules: [{ host: 'a.test', http: { paths: [path('/~/a$'), path('/b')] } }],
    });
  });

  it('and plugins at the top of a file go to what they name', () => {
    const config = {
      ...shop(),
      consumers: [{ username: 'ann' }],
      routes: [
        { name: 'top', service: { name: 'shop' }, paths: ['/t'] },
        { name: 'lost', paths: ['/l'] },
      ],
      plugins: [
        { name: 'acl', route: 'top' },
        { name: 'cors', service: { name: 'shop' }, consumer: 'ann' },
        { name: 'jwt', service: 'none' },
        { name: 'prometheus' },
      ],
    };
    expect(labels(config)).toEqual([
      'KongPlugin/shop-ann-cors',
      'KongPlugin/shop-top-acl',
      'KongClusterPlugin/prometheus',
      'HTTPRoute/shop-all',
      'HTTPRoute/shop-top',
      'Service/shop',
      'KongConsumer/ann',
    ]);
    const annotated = { annotations: { 'konghq.com/plugins': 'shop-ann-cors' } };
    expect(one(config, 'Service').metadata).toMatchObject(annotated);
    expect(one(config, 'KongConsumer').metadata).toMatchObject(annotated);
    expect(convert(config).warnings).toEqual([
      'route lost has no service, and is left out',
      'plugin jwt is on what the file does not have, and is left out',
      expect.stringContaining('label it global="true"'),
    ]);
  });
});

describe('consumers', () => {
  const config = {
    consumers: [
      {
        username: 'Ann',
        custom_id: '1',
        groups: [{ name: 'gold' }],
        keyauth_credentials: [{ key: 'a' }, { key: 'b' }],
        acls: [{ group: 'g' }],
      },
    ],
    consumer_groups: [
      { name: 'gold', consumers: [{ username: 'Ann' }], plugins: [{ name: 'rate-limiting' }] },
    ],
  };

  it('have a Secret for each credential, and never two of one name', () => {
    expect(labels(config)).toEqual([
      'KongPlugin/gold-rate-limiting',
      'Secret/key-auth-ann',
      'Secret/key-auth-ann-2',
      'Secret/acl-ann',
      'KongConsumer/ann',
      'KongConsumerGroup/gold',
    ]);
    expect(one(config, 'KongConsumer')).toMatchObject({
      username: 'Ann',
      custom_id: '1',
      credentials: ['key-auth-ann', 'key-auth-ann-2', 'acl-ann'],
      consumerGroups: ['gold'],
    });
    expect(one(config, 'Secret')).toMatchObject({
      metadata: { labels: { 'konghq.com/credential': 'key-auth' } },
      stringData: { key: 'a' },
    });
    expect(one(config, 'Secret', { version: 2 }).stringData).toEqual({
      key: 'a',
      kongCredType: 'key-auth',
    });
  });
});

describe('certificates', () => {
  it('are Secrets, and one without its key is told', () => {
    const config = {
      certificates: [{ cert: 'a', key: 'b' }, { cert: 'c' }],
      ca_certificates: [{ cert: 'd', cert_digest: 'e' }],
    };
    expect(convert(config).manifests).toMatchObject([
      { type: 'Opaque', stringData: { 'ca.crt': 'd', 'ca.digest': 'e' } },
      { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'a', 'tls.key': 'b' } },
    ]);
    expect(convert(config).warnings).toContain('a certificate without text and key is left out');
  });
});

it('writes JSON as a stream, with what HTML could misread as numbers', () => {
  const { manifests } = convert({ consumers: [{ username: 'a', custom_id: '<b>' }] });
  const text = writeKicJson([...manifests, ...manifests]);
  expect(text).toContain('"custom_id": "\\u003cb\\u003e"');
  expect(text).toContain('}{\n    "apiVersion"');
});
