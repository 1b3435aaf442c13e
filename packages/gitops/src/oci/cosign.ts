import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isObject } from '@waygate/text';
import { messageOf } from '../gitops-error.ts';
import { parseManifest } from './oci-manifest.ts';
import type { RegistryClient } from './registry-client.ts';
import { RegistryError } from './registry-error.ts';

const payloadType = 'application/vnd.dev.cosign.simplesigning.v1+json';
const signatureAnnotation = 'dev.cosignproject.cosign/signature';
const maxPayloadBytes = 1024 * 1024;
const maxSignatures = 100;

/**
 * Whether one of some public keys signed what has a digest, as cosign keeps signatures: under a tag
 * beside it, each a payload that names the digest and a signature of that payload.
 *
 * @throws Error when a key cannot be read, or the registry cannot be asked
 */
export async function isSignedByCosign(
  registry: RegistryClient,
  digest: string,
  publicKeys: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const keys = publicKeys.map(readKey);
  const tag = `${digest.replace(':', '-')}.sig`;
  let layers: readonly { digest: string; size: number | undefined; annotations: object }[];
  try {
    const manifest = parseManifest(await registry.manifest(tag, signal));
    if (manifest.kind !== 'image') return false;
    layers = manifest.layers.filter(({ mediaType }) => mediaType === payloadType);
  } catch (error) {
    if (error instanceof RegistryError && error.status === 404) return false;
    throw error;
  }
  for (const layer of layers.slice(0, maxSignatures)) {
    const encoded = (layer.annotations as Record<string, string>)[signatureAnnotation];
    if (encoded === undefined) continue;
    const payload = await registry.blob(layer, maxPayloadBytes, signal);
    if (!namesDigest(payload, digest)) continue;
    const signature = Buffer.from(encoded, 'base64');
    if (keys.some((key) => isSignature(key, payload, signature))) return true;
  }
  return false;
}

/** What is signed must be this, and not something else that the same key signed. */
function namesDigest(payload: Buffer, digest: string): boolean {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'));
    if (!isObject(value) || !isObject(value.critical)) return false;
    const { image, type } = value.critical;
    const isKnown =
      type === 'cosign container image signature' || type === 'atomic container signature';
    return isKnown && isObject(image) && image['docker-manifest-digest'] === digest;
  } catch {
    return false;
  }
}

function isSignature(key: KeyObject, payload: Buffer, signature: Buffer): boolean {
  try {
    const algorithm = key.asymmetricKeyType === 'ed25519' ? null : hashOf(key);
    return verify(algorithm, payload, key, signature);
  } catch {
    return false;
  }
}

/** Larger curves go with larger hashes. */
function hashOf(key: KeyObject): string {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  if (curve === 'secp384r1') return 'sha384';
  return curve === 'secp521r1' ? 'sha512' : 'sha256';
}

function readKey(text: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch (error) {
    throw new Error(`the public key cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { asymmetricKeyType: type = '' } = key;
  if (!['ec', 'ed25519', 'rsa'].includes(type)) {
    throw new Error(`public keys of type '${type}' are not supported`);
  }
  return key;
}
