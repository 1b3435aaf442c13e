import type { PublicKey } from 'openpgp';
import { messageOf } from '../gitops-error.ts';

const blockPattern = /-----BEGIN PGP PUBLIC KEY BLOCK-----[^-]*-----END PGP PUBLIC KEY BLOCK-----/g;

/**
 * The id of the key of some key rings that made a detached signature.
 *
 * @throws Error when none did
 */
export async function pgpKeyOf(
  armoredSignature: string,
  payload: Uint8Array,
  keyRings: readonly string[],
): Promise<string> {
  // Loaded when it is used: few sources are signed.
  const { createMessage, readSignature, verify } = await import('openpgp');
  const keys = await publicKeysOf(keyRings);
  const noKey = 'unable to verify payload with any of the given key rings';
  try {
    const signature = await readSignature({ armoredSignature });
    const message = await createMessage({ binary: payload });
    const { signatures } = await verify({
      message,
      signature,
      verificationKeys: keys,
      format: 'binary',
    });
    for (const { keyID, verified } of signatures) {
      if (!(await verified.catch(() => false))) continue;
      const key = keys.find((one) => one.getKeys(keyID).length > 0);
      if (key !== undefined) return key.getKeyID().toHex().toUpperCase();
    }
  } catch (cause) {
    throw new Error(noKey, { cause });
  }
  throw new Error(noKey);
}

/** All keys that can be read. One that cannot does not hide the others. */
async function publicKeysOf(keyRings: readonly string[]): Promise<PublicKey[]> {
  const { readKeys } = await import('openpgp');
  const keys: PublicKey[] = [];
  let problem: unknown;
  for (const ring of keyRings) {
    for (const [armoredKeys] of ring.matchAll(blockPattern)) {
      try {
        for (const key of await readKeys({ armoredKeys })) keys.push(key.toPublic());
      } catch (error) {
        problem ??= error;
      }
    }
  }
  if (keys.length > 0) return keys;
  const why = problem === undefined ? 'no armored data found' : messageOf(problem);
  throw new Error(`unable to read armored key ring: ${why}`);
}
