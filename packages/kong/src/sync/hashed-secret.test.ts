import { createHash, pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import { findChanges } from './entity-equality.ts';

const consumer = { id: '00000000-0000-4000-8000-000000000001' };

function pbkdf2(secret: string): string {
  const salt = Buffer.from('some salt');
  const hash = pbkdf2Sync(secret, salt, 1000, 32, 'sha512');
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$pbkdf2-sha512$i=1000,l=32$${text(salt)}$${text(hash)}`;
}

function changesOf(stored: string, given: string, isHashed = true): readonly string[] {
  const entity = (client_secret: string): JsonObject => ({
    consumer,
    name: 'app',
    client_id: 'app',
    client_secret,
    redirect_uris: ['http://app.test'],
    hash_secret: isHashed,
  });
  const changes = findChanges('oauth2_credentials', entity(stored), entity(given));
  return changes.map(({ path }) => path.join('.'));
}

describe('secrets that Kong keeps as a hash', () => {
  it.each([
    ['the same secret', pbkdf2('secret'), 'secret', []],
    ['another secret', pbkdf2('secret'), 'other', ['client_secret']],
    ['the hash itself, from a dump', pbkdf2('secret'), pbkdf2('secret'), []],
    ['a hash that cannot be made here', '$argon2id$v=19$m=65536$c2FsdA$aGFzaA', 'secret', []],
    ['a secret that is not hashed yet', 'plain', 'other', ['client_secret']],
    ['a hash that asks for too much', '$pbkdf2-sha512$i=99999999999$c2FsdA$aGFzaA', 'secret', []],
  ])('knows %s', (_name, stored, given, changed) => {
    expect(changesOf(stored, given)).toEqual(changed);
  });

  it('compares secrets that are not hashed as they are', () => {
    expect(changesOf('one', 'two', false)).toEqual(['client_secret']);
    expect(changesOf('one', 'one', false)).toEqual([]);
  });

  it('hashes a password as Kong does', () => {
    const hash = createHash('sha1').update(`secret${consumer.id}`).digest('hex');
    const entity = (password: string): JsonObject => ({ consumer, username: 'a', password });
    const of = (given: string, passwords: 'compare' | 'ignore' = 'compare') =>
      findChanges('basicauth_credentials', entity(hash), entity(given), { passwords }).length;
    expect([of('secret'), of('other'), of('other', 'ignore'), of(hash)]).toEqual([0, 1, 0, 0]);
  });
});
