import { createHash, timingSafeEqual } from 'node:crypto';
import { passwordHashProblem } from '@waygate/kong';
import { bcryptSteps, isBcrypt } from '@waygate/text';
import { desCrypt } from './des-crypt.ts';
import { md5Crypt } from './md5-crypt.ts';
import { shaCrypt, shaCryptRounds } from './sha-crypt.ts';

const md5Form = /^\$(apr1|1)\$([^$]{0,8})\$/;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Whether a password is the one of a hash, in any form that an htpasswd file has: `$apr1$`, `$1$`, `$5$`,
 * `$6$`, `$2y$`, `{SHA}`, `{SSHA}`, `{PLAIN}` and the oldest crypt(3). Hashes that take long give way to other
 * work meanwhile.
 *
 * @example
 * await isPasswordOf(Buffer.from('secret'), '{PLAIN}secret'); // true
 */
export async function isPasswordOf(password: Buffer, hash: string): Promise<boolean> {
  if (passwordHashProblem(hash) !== undefined) return false;
  if (hash.startsWith('{PLAIN}')) return isSame(password, Buffer.from(hash.slice(7)));
  if (hash.startsWith('{SHA}')) return isSame(sha1(password), Buffer.from(hash.slice(5), 'base64'));
  if (hash.startsWith('{SSHA}')) {
    const bytes = Buffer.from(hash.slice(6), 'base64');
    return isSame(sha1(password, bytes.subarray(20)), bytes.subarray(0, 20));
  }
  return isSame(Buffer.from(await crypt(password, hash)), Buffer.from(hash));
}

async function crypt(password: Buffer, hash: string): Promise<string> {
  const md5 = md5Form.exec(hash);
  if (md5 !== null) return md5Crypt(password, md5[2] ?? '', md5[1] === '1' ? '$1$' : '$apr1$');
  if (isBcrypt(hash)) {
    const steps = bcryptSteps(password, hash);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await turn();
    return step.value;
  }
  return shaCryptRounds(hash) === undefined
    ? desCrypt(password, hash)
    : await shaCrypt(password, hash, turn);
}

function sha1(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** In a time that does not tell how much of it is right. */
function isSame(a: Buffer, b: Buffer): boolean {
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(a), digest(b)) && a.length === b.length;
}
