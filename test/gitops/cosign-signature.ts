import { type KeyObject, sign } from 'node:crypto';
import type { OciRegistry } from './oci-registry.ts';

/** Signs a digest as cosign does, with `named` as the digest that the signature speaks of. */
export async function signDigest(
  registry: OciRegistry,
  { repository, digest, named }: { repository: string; digest: string; named: string },
  key: KeyObject,
): Promise<void> {
  const payload = Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': repository },
        image: { 'docker-manifest-digest': named },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  );
  const isEdwards = key.asymmetricKeyType === 'ed25519';
  const signature = sign(isEdwards ? null : 'sha256', payload, key).toString('base64');
  await registry.pushLayers(repository, `${digest.replace(':', '-')}.sig`, [
    {
      mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
      bytes: payload,
      annotations: { 'dev.cosignproject.cosign/signature': signature },
    },
  ]);
}
