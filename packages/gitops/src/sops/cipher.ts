import { createDecipheriv } from 'node:crypto';
import { goRegex } from '@waygate/text';
import { sopsError } from './sops-error.ts';
import type { SopsScalar } from './sops-tree.ts';

/** Three parts of any length: the language's engine would try all ways to share the text among them. */
const pattern = goRegex(String.raw`(?s)^ENC\[AES256_GCM,data:(.+),iv:(.+),tag:(.+),type:(\w+)\]$`);

/** A value after decryption, with the type that it was encrypted as. */
interface Decrypted {
  readonly type: string;
  readonly value: SopsScalar;
}

/**
 * Decrypts one value. It is bound to its place in the file, so a value that was moved is refused.
 *
 * @throws GitOpsError, which never holds the value
 */
export function decryptValue(text: string, key: Uint8Array, place: string): Decrypted {
  if (text === '') return { type: 'str', value: '' };
  const found = pattern.exec(text);
  if (found === undefined) throw sopsError("a value does not match sops' data format");
  const [data = '', iv = '', tag = '', type = ''] = found.groups;
  let plain: string;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
      authTagLength: 16,
    });
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    decipher.setAAD(Buffer.from(place));
    const bytes = [decipher.update(Buffer.from(data, 'base64')), decipher.final()];
    plain = Buffer.concat(bytes).toString('utf8');
  } catch (error) {
    throw sopsError(
      `a value could not be decrypted: it was changed, or moved from another place (${place})`,
      error,
    );
  }
  return { type, value: typed(plain, type) };
}

function typed(text: string, type: string): SopsScalar {
  switch (type) {
    case 'int':
      return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
    case 'float':
      return Number(text);
    case 'bool':
      return text.toLowerCase() === 'true';
    default:
      return text;
  }
}

/** What a value adds to the checksum of a file. */
export function checksumBytes(value: SopsScalar): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return printNumber(value);
  return value === null ? '' : String(value);
}

/** Without an exponent, as Go prints it for the checksum. */
function printNumber(value: number): string {
  const text = String(value);
  if (!/e/i.test(text)) return text;
  const digits = value.toFixed(20);
  if (Math.abs(value) < 1) return digits.replace(/0+$/, '').replace(/\.$/, '');
  return BigInt(value).toString();
}
