import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OutgoingClient } from '../http/outgoing-client.ts';
import { isSignedByCosign } from './cosign.ts';
import { childOf, parseManifest } from './oci-manifest.ts';
import { parseOciUrl } from './oci-reference.ts';
import { RegistryClient } from './registry-client.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';
const annotation = 'dev.cosignproject.cosign/signature';
const signal = new AbortController().signal;

const answers = new Map<string, string>();
let server: Server;
let client: OutgoingClient;
let registry: RegistryClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    const found = answers.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new OutgoingClient();
  registry = new RegistryClient({
    client,
    name: parseOciUrl(`oci://127.0.0.1:${port}/shop`),
    isInsecure: true,
    now: () => 0,
    sleep: async () => undefined,
  });
});

afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  answers.clear();
  answers.set('/v2/', '{}');
});

const keysOf = (type: string, options: object) =>
  generateKeyPairSync(type as 'ec', options as never) as unknown as {
    publicKey: KeyObject;
    privateKey: KeyObject;
  };
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const mine = keysOf('ec', { namedCurve: 'P-256' });

function payloadOf(changes: object = {}, image: object = { 'docker-manifest-digest': digest }) {
  const critical = { type: 'cosign container image signature', image, ...changes };
  return JSON.stringify({ critical, optional: null });
}

function layer(
  payload: string,
  key: KeyObject,
  hash: string | null,
  more: { mediaType?: string; annotations?: object } = {},
) {
  const bytes = Buffer.from(payload);
  const blob = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  answers.set(`/v2/shop/blobs/${blob}`, payload);
  const signature = sign(hash, bytes, key).toString('base64');
  return {
    mediaType: payloadType,
    digest: blob,
    size: bytes.length,
    annotations: { [annotation]: signature },
    ...more,
  };
}

function offer(manifest: object): void {
  answers.set(`/v2/shop/manifests/${digest.replace(':', '-')}.sig`, JSON.stringify(manifest));
}

const offerLayers = (...layers: object[]) => offer({ schemaVersion: 2, layers });
const isSigned = (keys: string[]) => isSignedByCosign(registry, digest, keys, signal);

describe('a signature counts', () => {
  test.each([
    ['of a small curve', 'ec', { namedCurve: 'P-256' }, 'sha256'],
    ['of a larger curve', 'ec', { namedCurve: 'P-384' }, 'sha384'],
    ['of the largest curve', 'ec', { namedCurve: 'P-521' }, 'sha512'],
    ['of RSA', 'rsa', { modulusLength: 2048 }, 'sha256'],
    ['of Ed25519', 'ed25519', {}, null],
  ])('%s', async (_name, type, options, hash) => {
    const { publicKey, privateKey } = keysOf(type, options);
    offerLayers(layer(payloadOf(), privateKey, hash));
    expect(await isSigned([pem(mine.publicKey), pem(publicKey)])).toBe(true);
    expect(await isSigned([pem(mine.publicKey)])).toBe(false);
    expect(await isSigned([])).toBe(false);
  });

  test('behind others, and under the name of an older kind', async () => {
    const other = keysOf('ec', { namedCurve: 'P-256' });
    const older = payloadOf({ type: 'atomic container signature' });
    offerLayers(
      layer(payloadOf(), other.privateKey, 'sha256'),
      layer(older, mine.privateKey, 'sha256'),
    );
    expect(await isSigned([pem(mine.publicKey)])).toBe(true);
  });
});

describe('no signature is', () => {
  test.each([
    ['one of another digest', payloadOf({}, { 'docker-manifest-digest': `${digest}b` })],
    ['one of no digest', payloadOf({}, {})],
    ['one of another kind', payloadOf({ type: 'text' })],
    ['one without an image', payloadOf({ image: 'x' })],
    ['one without what matters', '{}'],
    ['a list', '[]'],
    ['what is no JSON', 'x'],
  ])('%s', async (_name, payload) => {
    offerLayers(layer(payload, mine.privateKey, 'sha256'));
    expect(await isSigned([pem(mine.publicKey)])).toBe(false);
  });

  test('what has another media type, no annotation, or is under no tag', async () => {
    const keys = [pem(mine.publicKey)];
    expect(await isSigned(keys)).toBe(false);
    offerLayers(layer(payloadOf(), mine.privateKey, 'sha256', { mediaType: 'text/plain' }));
    expect(await isSigned(keys)).toBe(false);
    offerLayers(layer(payloadOf(), mine.privateKey, 'sha256', { annotations: {} }));
    expect(await isSigned(keys)).toBe(false);
    offer({ manifests: [] });
    expect(await isSigned(keys)).toBe(false);
    offerLayers();
    expect(await isSigned(keys)).toBe(false);
  });

  test('one behind a hundred others', async () => {
    const keys = [pem(mine.publicKey)];
    const good = layer(payloadOf(), mine.privateKey, 'sha256');
    const idle = { ...good, annotations: {} };
    offerLayers(...Array.from({ length: 99 }, () => idle), good);
    expect(await isSigned(keys)).toBe(true);
    offerLayers(...Array.from({ length: 100 }, () => idle), good);
    expect(await isSigned(keys)).toBe(false);
  });
});

test('a key that is none, and a manifest that cannot be read, are errors', async () => {
  offer({ schemaVersion: 1 });
  await expect(isSigned([pem(mine.publicKey)])).rejects.toThrow('only schema version 2');
  await expect(isSigned(['x'])).rejects.toThrow('the public key cannot be read: ');
  const agreement = keysOf('x25519', {});
  await expect(isSigned([pem(agreement.publicKey)])).rejects.toThrow(
    "public keys of type 'x25519' are not supported",
  );
});

describe('manifests', () => {
  const read = (value: unknown, mediaType = '') =>
    parseManifest({ bytes: Buffer.from(JSON.stringify(value)), mediaType, digest });

  test.each([
    ['by its own word', { mediaType: 'application/vnd.oci.image.index.v1+json' }, ''],
    ["by the server's word", {}, 'application/vnd.docker.distribution.manifest.list.v2+json'],
    ['by what is in it', { manifests: [] }, 'application/json'],
  ])('one is an index %s', (_name, value, mediaType) => {
    expect(read(value, mediaType)).toEqual({ kind: 'index', manifests: [] });
  });

  test('one with layers is none, whatever else is in it', () => {
    expect(read({ schemaVersion: 2, layers: [], manifests: [] })).toEqual({
      kind: 'image',
      layers: [],
      annotations: {},
    });
  });

  test('layers have what can be read of them', () => {
    const layers = [
      { digest: 'd', mediaType: 'm', size: 0, annotations: { a: 'x', b: 1 } },
      { digest: 'e', mediaType: 1, size: -1, platform: { os: 'linux', architecture: 'arm64' } },
      { digest: 'f', size: 1.5, annotations: 'none' },
      { digest: 'g', size: '1' },
    ];
    const manifest = read({ schemaVersion: 2, layers, annotations: { c: 'y' } });
    const nothing = { mediaType: '', size: undefined, annotations: {}, platform: undefined };
    expect(manifest).toEqual({
      kind: 'image',
      layers: [
        { ...nothing, digest: 'd', mediaType: 'm', size: 0, annotations: { a: 'x' } },
        { ...nothing, digest: 'e', platform: 'linux/arm64' },
        { ...nothing, digest: 'f' },
        { ...nothing, digest: 'g' },
      ],
      annotations: { c: 'y' },
    });
  });

  test.each([
    [[], 'it is not JSON'],
    ['x', 'it is not JSON'],
    [{ schemaVersion: 1 }, 'only schema version 2 is supported'],
    [{ schemaVersion: 2, layers: 'x' }, 'its layers are no list'],
    [{ schemaVersion: 2, layers: [{}] }, 'a layer has no digest'],
    [{ schemaVersion: 2, layers: ['x'] }, 'a layer has no digest'],
  ])('%j is refused', (value, message) => {
    expect(() => read(value)).toThrow(`failed to parse artifact manifest: ${message}`);
  });

  test('of an index the first for our platform is taken, or for any', () => {
    const of = (...platforms: (string | undefined)[]) =>
      childOf(
        {
          kind: 'index',
          manifests: platforms.map((platform, index) => ({
            ...{ mediaType: '', digest: `d${index}`, size: 0, annotations: {} },
            platform,
          })),
        },
        'shop:1',
      );
    expect(of('linux/arm64', 'linux/amd64', undefined)).toBe('d1');
    expect(of('linux/arm64', undefined, 'linux/amd64')).toBe('d1');
    expect(() => of('linux/arm64')).toThrow('no child with platform linux/amd64 in index shop:1');
  });
});
