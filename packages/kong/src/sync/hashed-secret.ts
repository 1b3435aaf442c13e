import { createHash, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import type { JsonObject, JsonValue } from '../entity/entities.ts';
import type { CollectionName } from '../entity/entity-kinds.ts';
import { referenceId } from '../store/entity-collection.ts';
import type { Operation } from './operation.ts';

/** The field of a kind that Kong keeps as a hash. */
export function hashedField(collection: CollectionName, entity: JsonObject): string | undefined {
  if (collection === 'basicauth_credentials') return 'password';
  const isHashed = collection === 'oauth2_credentials' && entity.hash_secret === true;
  return isHashed ? 'client_secret' : undefined;
}

function isSamePassword(stored: JsonValue | undefined, given: string, owner: JsonObject): boolean {
  const salt = referenceId(owner.consumer) ?? '';
  return createHash('sha1').update(`${given}${salt}`).digest('hex') === stored;
}

const pbkdf2 = /^\$pbkdf2-(sha1|sha256|sha384|sha512)\$(?:([^$]*)\$)?([^$]+)\$([^$]+)$/;

/** More rounds than any Kong asks for would be an attack on whoever compares. */
const mostRounds = 1_000_000;

/**
 * Whether a secret is the one behind a hash of Kong. Of hashes that Node.js cannot make (argon2,
 * bcrypt) nobody can tell, and an update each time would change the hash each time: they count as
 * the same.
 */
function isSameClientSecret(stored: JsonValue | undefined, given: string): boolean {
  if (typeof stored !== 'string' || !stored.startsWith('$')) return false;
  const parts = pbkdf2.exec(stored);
  if (parts === null) return true;
  const [, digest = '', parameters = '', salt = '', hash = ''] = parts;
  const values = new Map(parameters.split(',').map((part) => part.split('=') as [string, string]));
  const rounds = Number(values.get('i') ?? 10_000);
  const wanted = Buffer.from(hash, 'base64');
  if (!(rounds >= 1 && rounds <= mostRounds) || wanted.length === 0) return true;
  const made = pbkdf2Sync(given, Buffer.from(salt, 'base64'), rounds, wanted.length, digest);
  return timingSafeEqual(made, wanted);
}

/** Whether a secret of a file is what the server keeps a hash of; a dump holds the hash itself. */
export function isSameSecret(
  collection: CollectionName,
  current: JsonObject,
  target: JsonObject,
  field: string,
): boolean {
  const stored = current[field];
  const given = target[field];
  if (stored === given || typeof given !== 'string') return true;
  return collection === 'basicauth_credentials'
    ? isSamePassword(stored, given, target)
    : isSameClientSecret(stored, given);
}

/**
 * The credentials whose password would be hashed a second time: what is written looks like a hash of Kong's
 * own, as a dump holds it, so that nobody could log in with the password any more.
 *
 * ```ts
 * findDoubleHashes([]); // []
 * ```
 */
export function findDoubleHashes(operations: readonly Operation[]): readonly Operation[] {
  return operations.filter(({ op, collection, after, before }) => {
    const password = after?.password;
    if (op === 'delete' || collection !== 'basicauth_credentials') return false;
    const isHash = typeof password === 'string' && /^[0-9a-f]{40}$/.test(password);
    return isHash && before?.password !== password;
  });
}
