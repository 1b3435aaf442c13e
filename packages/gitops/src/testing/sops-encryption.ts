import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { isObject } from '@waygate/text';
import { armor, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';

/**
 * Encrypts texts as sops does, with a key of its own, so that each part of a file can be changed in a
 * test. With an expression, only what is below a name that it matches.
 */
export async function encrypted(values: Record<string, unknown>, encryptedRegex?: string) {
  const identity = await generateIdentity();
  const dataKey = randomBytes(32);
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const enc = armor.encode(await encrypter.encrypt(dataKey));
  const seal = (text: string, place: string) => {
    const iv = randomBytes(32);
    const cipher = createCipheriv('aes-256-gcm', dataKey, iv);
    cipher.setAAD(Buffer.from(place));
    const data = Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
    return `ENC[AES256_GCM,data:${data},iv:${iv.toString('base64')},tag:${cipher.getAuthTag().toString('base64')},type:str]`;
  };
  const lastmodified = '2026-01-01T00:00:00Z';
  const hash = createHash('sha512');
  const expression = encryptedRegex === undefined ? undefined : new RegExp(encryptedRegex);
  const sealed = (branch: Record<string, unknown>, path: readonly string[]) => {
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(branch)) {
      const place = [...path, key];
      if (isObject(value)) {
        copy[key] = sealed(value, place);
        continue;
      }
      const text = String(value);
      hash.update(text);
      const isOpen = text === '' || (expression && !place.some((name) => expression.test(name)));
      copy[key] = isOpen ? value : seal(text, `${place.join(':')}:`);
    }
    return copy;
  };
  const file = sealed(values, []);
  const mac = seal(hash.digest('hex').toUpperCase(), lastmodified);
  file.sops = {
    age: [{ recipient: 'age1', enc }],
    lastmodified,
    mac,
    version: '3.9.0',
    ...(encryptedRegex === undefined ? {} : { encrypted_regex: encryptedRegex }),
  };
  return { file, keys: { age: [identity], pgp: [] } };
}
