import { armor, Decrypter } from 'age-encryption';
import { combineShares } from './shamir.ts';
import { sopsError } from './sops-error.ts';
import type { EncryptedKey, SopsMetadata } from './sops-metadata.ts';

/** Keys that can decrypt, as a Secret holds them. */
export interface DecryptionKeys {
  /** Lines of `AGE-SECRET-KEY-…`; the rest is comment. */
  readonly age: readonly string[];
  /** Armored private keys of PGP. */
  readonly pgp: readonly string[];
}

/**
 * From the data of a Secret: `*.agekey` and `*.asc`.
 *
 * ```ts
 * decryptionKeysOf({ 'main.agekey': '# made on Monday\nAGE-SECRET-KEY-1ABC\n', other: 'x' }); // { age: ['AGE-SECRET-KEY-1ABC'], pgp: [] }
 * ```
 */
export function decryptionKeysOf(data: Readonly<Record<string, string>>): DecryptionKeys {
  const age: string[] = [];
  const pgp: string[] = [];
  for (const [name, text] of Object.entries(data)) {
    if (name.endsWith('.asc')) pgp.push(text);
    if (!name.endsWith('.agekey')) continue;
    for (const line of text.split('\n')) {
      if (/^AGE-SECRET-KEY-/i.test(line.trim())) age.push(line.trim());
    }
  }
  return { age, pgp };
}

/** The key of one file's values. @throws GitOpsError that names who could have decrypted it */
export async function dataKeyOf(metadata: SopsMetadata, keys: DecryptionKeys): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const failed: string[] = [];
  for (const group of metadata.groups) {
    const part = await firstOf(group, keys);
    if (part === undefined) failed.push(...group.map(({ recipient }) => recipient));
    else parts.push(part);
  }
  const isShared = metadata.groups.length > 1;
  const needed = isShared ? metadata.threshold : 1;
  if (parts.length < needed || parts.length === 0) {
    const who = failed.join(', ') || 'nobody';
    const services = new Set(metadata.groups.flat().flatMap(({ service }) => service ?? []));
    const unsupported =
      services.size === 0
        ? ''
        : `; decryption by ${[...services].join(', ')} is not supported: encrypt for an age or PGP key, too`;
    throw sopsError(
      `cannot get sops data key: none of the keys here is that of a recipient (${who}); ${parts.length} of ${needed} parts were found${unsupported}`,
    );
  }
  return isShared ? combineShares(parts) : (parts[0] as Uint8Array);
}

async function firstOf(
  group: readonly EncryptedKey[],
  keys: DecryptionKeys,
): Promise<Uint8Array | undefined> {
  for (const { kind, encrypted } of group) {
    try {
      if (kind === 'age' && keys.age.length > 0) return await decryptAge(encrypted, keys.age);
      if (kind === 'pgp' && keys.pgp.length > 0) return await decryptPgp(encrypted, keys.pgp);
    } catch {
      // Another key of the group may do.
    }
  }
  return undefined;
}

async function decryptAge(text: string, identities: readonly string[]): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  return decrypter.decrypt(armor.decode(text.trim()), 'uint8array');
}

/** Loaded only when used: it is large. */
async function decryptPgp(text: string, armoredKeys: readonly string[]): Promise<Uint8Array> {
  const openpgp = await import('openpgp');
  const decryptionKeys = [];
  for (const armoredKey of armoredKeys) {
    decryptionKeys.push(...(await openpgp.readPrivateKeys({ armoredKeys: armoredKey })));
  }
  const message = await openpgp.readMessage({ armoredMessage: text });
  const { data } = await openpgp.decrypt({ message, decryptionKeys, format: 'binary' });
  return data as Uint8Array;
}
