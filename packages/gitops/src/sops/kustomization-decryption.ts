import type { KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { Kustomization } from '../api/kustomization-object.ts';
import { messageOf } from '../gitops-error.ts';
import { type DecryptionKeys, decryptionKeysOf } from './data-key.ts';
import type { SopsDecryption } from './sops-decryptor.ts';
import { sopsError } from './sops-error.ts';

/** The annotation of a Kustomization whose manifests were edited after they were encrypted. */
const sopsMacAnnotation = 'waygate.dev/sops-mac';

/** What takes encryption off the manifests of a Kustomization; undefined when it asks for none. */
export async function sopsDecryptionOf(
  client: KubeClient,
  { spec, metadata }: Kustomization,
  signal: AbortSignal,
  shared?: { readonly namespace: string; readonly name: string },
): Promise<SopsDecryption | undefined> {
  const { decryption } = spec;
  if (decryption === undefined) return undefined;
  if (decryption.provider !== 'sops') {
    throw sopsError(`the decryption provider '${decryption.provider}' is not supported`);
  }
  if (decryption.serviceAccountName !== undefined) {
    throw sopsError('spec.decryption.serviceAccountName is not supported: use secretRef with keys');
  }
  const isIgnored = metadata.annotations?.[sopsMacAnnotation]?.toLowerCase() === 'ignore';
  const checksManifests = !isIgnored;
  const { namespace = '' } = metadata;
  const own = decryption.secretRef && { namespace, name: decryption.secretRef.name };
  const keys: { age: string[]; pgp: string[] } = { age: [], pgp: [] };
  // The controller's own Secret gives age keys alone: it is there for those who bring none.
  if (shared !== undefined) keys.age.push(...(await keysOf(client, shared, signal)).age);
  if (own !== undefined) {
    const { age, pgp } = await keysOf(client, own, signal);
    keys.age.push(...age);
    keys.pgp.push(...pgp);
  }
  return { keys, checksManifests };
}

async function keysOf(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<DecryptionKeys> {
  try {
    const secret = await client.resource(kinds.Secret).get(name, { namespace }, { signal });
    const data: Record<string, string> = {};
    for (const [key, value] of Object.entries(secret.data ?? {})) {
      data[key] = Buffer.from(value, 'base64').toString('utf8');
    }
    return decryptionKeysOf(data);
  } catch (error) {
    signal.throwIfAborted();
    throw sopsError(`cannot import decryption keys: ${messageOf(error)}`, error);
  }
}
