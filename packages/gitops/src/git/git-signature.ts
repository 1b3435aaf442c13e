import { pgpKeyOf } from './pgp-signature.ts';
import { sshKeyOf } from './ssh-signature.ts';

/** An object of git, taken apart into what was signed and the signature on it. */
interface SignedObject {
  readonly payload: Buffer;
  /** Empty when it is not signed. */
  readonly signature: string;
}

/** Takes the signature out of the head of a commit. */
export function signedCommit(object: Buffer): SignedObject {
  // One byte, one character: nothing of what was signed may change on the way.
  const text = object.toString('latin1');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const kept: string[] = [];
  const signature: string[] = [];
  let target: string[] | undefined = kept;
  for (const line of head.split('\n')) {
    if (line.startsWith(' ')) {
      target?.push(target === signature ? line.slice(1) : line);
      continue;
    }
    const found = /^gpgsig(-sha256)? (.*)$/s.exec(line);
    if (found === null) target = kept;
    else target = found[1] === undefined ? signature : undefined;
    if (target !== undefined) target.push(found === null ? line : (found[2] ?? ''));
  }
  const rest = end < 0 ? '' : text.slice(end);
  return {
    payload: Buffer.from(kept.join('\n') + rest, 'latin1'),
    signature: signature.length === 0 ? '' : `${signature.join('\n')}\n`,
  };
}

/** Takes the signature off the end of a tag. */
export function signedTag(object: Buffer): SignedObject {
  const text = object.toString('latin1');
  const at = Math.max(
    text.lastIndexOf('\n-----BEGIN PGP SIGNATURE-----'),
    text.lastIndexOf('\n-----BEGIN SSH SIGNATURE-----'),
  );
  if (at < 0) return { payload: object, signature: '' };
  return { payload: object.subarray(0, at + 1), signature: text.slice(at + 1) };
}

/**
 * The name of the key that made a signature: the id of an OpenPGP key, the fingerprint of an SSH key.
 *
 * @throws Error that says why none of the keys did
 */
export async function signingKeyOf(
  { payload, signature }: SignedObject,
  keys: readonly string[],
): Promise<string> {
  const trimmed = signature.trim();
  if (trimmed === '') {
    throw new Error('unable to verify payload as the provided signature is empty');
  }
  if (trimmed.startsWith('-----BEGIN SSH SIGNATURE-----')) return sshKeyOf(trimmed, payload, keys);
  if (trimmed.startsWith('-----BEGIN PGP SIGNATURE-----')) return pgpKeyOf(trimmed, payload, keys);
  throw new Error('unable to verify payload: the format of the signature is not known');
}
