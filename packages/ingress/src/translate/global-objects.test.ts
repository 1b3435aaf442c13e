import { generateKeyPairSync } from 'node:crypto';
import type { KubeObject } from '@waygate/schema';
import { makeCertificate, pemText } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import type { Secret } from '../objects/secret.ts';
import { parseAuthority } from './ca-certificates.ts';
import { credentialFromSecret, type credentialKinds } from './credentials.ts';
import { translate } from './translate.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const day = 86_400_000;

function certificate(isAuthority: boolean, toMs = now + day): string {
  const der = makeCertificate({
    subject: [['CN', 'x']],
    names: [],
    ...(isAuthority ? { isAuthority: true } : { purposes: ['serverAuth'] }),
    from: new Date(now - 9 * day),
    to: new Date(toMs),
    serial: 5n,
    key: privateKey,
  } as Parameters<typeof makeCertificate>[0]);
  return pemText('CERTIFICATE', der);
}

const authority = certificate(true);
const data = (fields: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  );

describe('an authority', () => {
  test.each<[string, string, object]>([
    ['is taken as it is', authority, { pem: authority }],
    ['is written anew', `\n${authority.replaceAll('\n', '\r\n')}\n`, { pem: authority }],
    ['is one', authority + authority, { error: ': multiple PEM certificates found' }],
    [
      'is a certificate',
      authority.replaceAll('CERTIFICATE', 'X'),
      { error: ': invalid PEM block type' },
    ],
    ['is PEM', 'text', { error: ': invalid PEM block' }],
    ['is there', ' ', { error: ': invalid PEM block' }],
    [
      'can be read',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
      { error: ': failed to parse certificate' },
    ],
    ['signs', certificate(false), { error: ": certificate is missing the 'CA' basic constraint" }],
    ['is good still', certificate(true, now - 1_000), { error: ': expired' }],
  ])('%s', (_what, text, result) => {
    expect(parseAuthority(text, new Date(now))).toEqual(result);
  });
});

const classed = { annotations: { 'kubernetes.io/ingress.class': 'kong' } };
function made(kind: string, name: string, fields: object, metadata: object = {}): KubeObject {
  const isKong = kind.startsWith('Kong');
  const version = kind === 'KongVault' || kind === 'KongLicense' ? 'v1alpha1' : 'v1';
  return {
    apiVersion: isKong ? `configuration.konghq.com/${version}` : 'v1',
    kind,
    metadata: {
      name,
      ...(isKong ? {} : { namespace: 'shop' }),
      uid: name,
      ...classed,
      ...metadata,
    },
    ...fields,
  } as KubeObject;
}
const told = ({ problems }: ReturnType<typeof translate>) =>
  problems.map(({ object, message }) => `${object.kind} ${object.name}: ${message}`);

test('authorities come from Secrets and ConfigMaps with the label, the oldest of an id', () => {
  const labels = { labels: { 'konghq.com/ca-cert': 'true' } };
  const old = { ...labels, creationTimestamp: '2026-01-01T00:00:00Z' };
  const young = { ...labels, creationTimestamp: '2026-02-01T00:00:00Z' };
  const result = translate(
    [
      made('Secret', 'b', { data: data({ id: 'id-2', cert: authority }) }, young),
      made('ConfigMap', 'a', { data: { id: 'id-1', 'ca.crt': authority } }, old),
      made('Secret', 'same', { data: data({ id: 'id-1', cert: authority }) }, young),
      made('Secret', 'no-id', { data: data({ cert: authority }) }, old),
      made('Secret', 'no-cert', { data: data({ id: 'id-3' }) }, old),
      made('Secret', 'bad', { data: data({ id: 'id-4', cert: 'x' }) }, young),
      made('Secret', 'plain', { data: data({ id: 'id-5', cert: authority }) }, {}),
      made(
        'Secret',
        'other',
        { data: data({ id: 'id-6', cert: authority }) },
        {
          ...labels,
          annotations: { 'kubernetes.io/ingress.class': 'x' },
        },
      ),
      made('KongClusterPlugin', 'mtls', {
        plugin: 'mtls-auth',
        config: { ca_certificates: ['id-4'] },
      }),
      made('KongClusterPlugin', 'mtls-2', {
        plugin: 'mtls-auth',
        config: { ca_certificates: ['id-1'] },
      }),
    ],
    { now: () => new Date(now) },
  );
  expect(result.state.caCertificates.map(({ id, cert }) => ({ id, cert }))).toEqual([
    { id: 'id-1', cert: authority },
    { id: 'id-2', cert: authority },
  ]);
  expect(told(result).sort()).toEqual([
    'KongClusterPlugin mtls: invalid secret CA certificate: invalid PEM block',
    'Secret bad: invalid secret CA certificate: invalid PEM block',
    'Secret no-cert: invalid secret CA certificate shop/no-cert, neither "cert" nor "ca.crt" key exist',
    "Secret no-id: invalid secret CA certificate: missing 'id' field in data",
    "Secret same: invalid secret CA certificate: duplicate 'id' field in multiple objects",
  ]);
});

test('vaults have their prefix once, and the newest licence counts', () => {
  const vault = (name: string, spec: object, metadata: object = {}) =>
    made('KongVault', name, { spec }, metadata);
  const license = (name: string, created: string, fields: object) =>
    made('KongLicense', name, fields, { creationTimestamp: created });
  const objects = [
    vault('z', { backend: 'env', prefix: 'z', description: 'd', config: { prefix: 'P' } }),
    vault(
      'a',
      { backend: 'aws', prefix: 'a', config: {} },
      { creationTimestamp: '2026-01-01T00:00:00Z' },
    ),
    vault('a2', { backend: 'gcp', prefix: 'a' }, { creationTimestamp: '2026-02-01T00:00:00Z' }),
    vault(
      'x',
      { backend: 'env', prefix: 'x' },
      { annotations: { 'kubernetes.io/ingress.class': 'x' } },
    ),
    license('l1', '2026-01-01T00:00:00Z', { rawLicenseString: 'one' }),
    license('l2', '2026-02-01T00:00:00Z', { rawLicenseString: 'two' }),
    license('l3', '2026-03-01T00:00:00Z', { rawLicenseString: 'three', enabled: false }),
    license('l4', '2026-04-01T00:00:00Z', {}),
  ];
  const result = translate(objects, { features: { fillIds: false }, isKongEnterprise: true });
  expect(result.state.vaults.map(({ tags: _tags, ...vault }) => vault)).toEqual([
    { name: 'aws', prefix: 'a' },
    { name: 'env', prefix: 'z', description: 'd', config: { prefix: 'P' } },
  ]);
  expect(told(result)).toEqual(['KongVault a2: spec.prefix "a" is duplicate']);
  expect(result.state.licenses).toEqual([{ id: 'l2', payload: 'two' }]);
  const free = translate(objects);
  expect(free.state.licenses).toEqual([]);
  expect(free.state.vaults.every(({ id }) => typeof id === 'string')).toBe(true);
});

describe('credentials of Secrets', () => {
  type Kind = keyof typeof credentialKinds;
  test.each<[Kind, Record<string, string>, object, (readonly string[])?]>([
    ['key-auth', { key: 'k', ttl: '60', more: 'x' }, { entity: { key: 'k', ttl: 60 } }],
    [
      'key-auth',
      { key: 'k', ttl: 'soon' },
      { entity: { key: 'k' } },
      [
        'Failed to parse ttl to int: strconv.Atoi: parsing "soon": invalid syntax, skipfilling the field',
      ],
    ],
    [
      'oauth2',
      { name: 'n', client_id: 'c', redirect_uris: 'a,b', hash_secret: 'true' },
      { entity: { name: 'n', client_id: 'c', redirect_uris: ['a', 'b'], hash_secret: true } },
    ],
    [
      'oauth2',
      { name: 'n', client_id: 'c', hash_secret: 'perhaps' },
      { entity: { name: 'n', client_id: 'c', hash_secret: false } },
      [
        'Failed to parse hash_secret to bool: strconv.ParseBool: parsing "perhaps": invalid syntax. defaulting to false',
      ],
    ],
    ['key-auth', { ttl: '5' }, { error: 'key-auth is invalid: no key' }],
    ['oauth2', {}, { error: 'oauth2 is invalid: no client_id' }],
    ['oauth2', { client_id: 'c' }, { error: 'oauth2 is invalid: no name' }],
    ['jwt', {}, { error: 'jwt-auth for is invalid: no key' }],
    ['jwt', { key: 'k' }, { entity: { key: 'k', algorithm: 'HS256' } }],
    ['jwt', { key: 'k', algorithm: 'RS256' }, { entity: { key: 'k', algorithm: 'RS256' } }],
    ['basic-auth', { username: 'u', ttl: '5' }, { entity: { username: 'u' } }],
    ['acl', {}, { error: 'acl is invalid: no group' }],
  ])('%s %j', (type, fields, result, notes = []) => {
    const secret = made('Secret', 's', { data: data(fields) }) as Secret;
    const credential = credentialFromSecret(type, secret);
    expect(credential.notes).toEqual(notes);
    if ('error' in result) {
      expect(credential).toEqual({ ...result, notes });
      return;
    }
    const { entity } = credential as { entity: Record<string, unknown> };
    const { tags: _tags, ...plain } = entity;
    expect({ entity: plain }).toEqual(result);
  });
});
