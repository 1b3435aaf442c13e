import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ProvenanceCheck, ProvenanceSigner } from '@waygate/helm';
import { isObject, parseYamlAll } from '@waygate/text';
import type { CleartextMessage, Key } from 'openpgp';
import { CliError } from '../context.ts';

/** Checks the signature of a provenance file, then the archive by the hash that was signed. */
export const checkProvenance: ProvenanceCheck = async (archive, provenance, keyring) => {
  // Loaded when it is used: few charts are signed.
  const { readCleartextMessage, verify } = await import('openpgp');
  const keys = await readKeyring(keyring);
  let message: CleartextMessage;
  try {
    message = await readCleartextMessage({
      cleartextMessage: Buffer.from(provenance).toString('utf8'),
    });
  } catch (cause) {
    throw new CliError(`${archive.name}.prov: signature block not found`, { cause });
  }
  const { signatures } = await verify({ message, verificationKeys: keys });
  const key = await signerOf(signatures, keys);
  if (key === undefined) throw new CliError('openpgp: signature made by unknown entity');
  const hash = `sha256:${createHash('sha256').update(archive.data).digest('hex')}`;
  const signed = signedHash(message.getText(), archive.name);
  if (signed === undefined) {
    throw new CliError(
      `provenance does not contain a SHA for a file named ${JSON.stringify(archive.name)}`,
    );
  }
  if (signed !== hash) {
    throw new CliError(
      `sha256 sum does not match for ${archive.name}: ${JSON.stringify(signed)} != ${JSON.stringify(hash)}`,
    );
  }
  return {
    signedBy: key.getUserIDs(),
    fingerprint: key.getFingerprint().toUpperCase(),
    hash,
  };
};

/** Signs with the one private key of a keyring whose owner's name holds the name that is asked for. */
export const signProvenance: ProvenanceSigner = async (text, { keyring, name, passphrase }) => {
  const { createCleartextMessage, decryptKey, sign } = await import('openpgp');
  const keys = await readKeyring(keyring);
  const exact = keys.filter((key) => key.getUserIDs().includes(name));
  const found =
    exact.length > 0
      ? exact
      : keys.filter((key) => key.getUserIDs().some((owner) => owner.includes(name)));
  const [key, another] = found;
  if (key === undefined) throw new CliError('private key not found');
  if (another !== undefined) {
    throw new CliError(`more than one key contain the id ${JSON.stringify(name)}`);
  }
  if (!key.isPrivate()) {
    throw new CliError(
      'provided key is not a private key. Try providing a keyring with secret keys',
    );
  }
  let signingKey = key;
  if (!key.isDecrypted()) {
    if (passphrase === undefined) {
      throw new CliError(
        `the key of ${JSON.stringify(name)} has a passphrase: give it with --passphrase-file (- is stdin)`,
      );
    }
    try {
      signingKey = await decryptKey({ privateKey: key, passphrase });
    } catch (cause) {
      throw new CliError('the private key does not open with this passphrase', { cause });
    }
  }
  const message = await createCleartextMessage({ text });
  return sign({ message, signingKeys: signingKey });
};

async function signerOf(
  signatures: readonly { readonly keyID: { toHex(): string }; readonly verified: Promise<true> }[],
  keys: readonly Key[],
): Promise<Key | undefined> {
  for (const { keyID, verified } of signatures) {
    if (!(await verified.catch(() => false))) continue;
    const found = keys.find((key) =>
      key.getKeys().some((each) => each.getKeyID().toHex() === keyID.toHex()),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readKeyring(path: string): Promise<Key[]> {
  const { readKeys } = await import('openpgp');
  let data: Buffer;
  try {
    data = readFileSync(path);
  } catch (cause) {
    throw new CliError(`failed to load keyring: open ${path}: no such file or directory`, {
      cause,
    });
  }
  try {
    const text = data.toString('latin1');
    return text.includes('-----BEGIN PGP')
      ? await readKeys({ armoredKeys: text })
      : await readKeys({ binaryKeys: new Uint8Array(data) });
  } catch (cause) {
    throw new CliError(`failed to load keyring: ${path} has no keys that can be read`, { cause });
  }
}

/** The second document of what was signed names files with their hashes. */
function signedHash(text: string, name: string): string | undefined {
  const [, sums = ''] = text.split(/\n\.\.\.\n/);
  const [data] = parseYamlAll(sums);
  const files = isObject(data) ? data.files : undefined;
  const found = isObject(files) ? files[name] : undefined;
  return typeof found === 'string' ? found : undefined;
}
