import { passwordHashProblem } from '@waygate/kong';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { isPasswordOf } from './password-hash.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

const hashes: readonly (readonly [string, string])[] = [
  ['bar', '$apr1$saltsalt$HZb7DO9JU4769Nu3n58bv.'],
  ['p', '$1$saltsalt$oVkV3EDq8KTkLj17vu4OM0'],
  ['p', '$5$rounds=1000$saltsalt$hkwX4/ga0nwRGtM7xNjSsKshHJPH92T4Bm5LKu0W1g1'],
  [
    'six6',
    '$6$saltsalt$MhsflH6webGUBJSfDDh3jUDlBUhXKgdtKK0vegGF7vTAuhZE3w9cS3O2m4wMantsAp2Gg4I6v1loA2uyQQPmZ0',
  ],
  ['x', '$2y$05$abcdefghijklmnopqrstuuhKF09ZYWwH2zP/0fwE1X8e/Q1YNx/hO'],
  ['x', 'abiQ6Ep3EYTHc'],
  ['pass', '{SHA}nU4eI71bcnBGqeO0t9tXvY1u5oQ='],
  ['text', '{PLAIN}text'],
];

describe('passwords and hashes', () => {
  test.each(hashes)('%s is the password of %s', async (password, hash) => {
    expect(passwordHashProblem(hash)).toBeUndefined();
    expect(await isPasswordOf(Buffer.from(password), hash)).toBe(true);
    expect(await isPasswordOf(Buffer.from(`${password}?`), hash)).toBe(false);
    expect(await isPasswordOf(Buffer.from(''), hash)).toBe(false);
  });

  test.each([
    '',
    'secret',
    '$6$rounds=999999999$salt$x',
    '$2y$31$abcdefghijklmnopqrstuuhKF09ZYWwH2zP/0fwE1X8e/Q1YNx/hO',
    '$y$j9T$x$y',
    '*',
  ])('the hash %s is refused, and nobody’s', async (hash) => {
    expect(passwordHashProblem(hash)).toBeDefined();
    expect(await isPasswordOf(Buffer.from('secret'), hash)).toBe(false);
  });
});

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

async function start(config: object, more: readonly object[] = []) {
  await world.start(await world.backend('a'), [
    { name: 'nginx-proxy' },
    { name: 'htpasswd-auth', config },
    ...more,
  ]);
}

describe('htpasswd-auth', () => {
  const users = [
    'foo:$apr1$saltsalt$HZb7DO9JU4769Nu3n58bv.',
    'plain:{PLAIN}a:remark',
    'foo:{PLAIN}two',
  ];

  test.each<[Record<string, string>, number]>([
    [{}, 401],
    [basic('foo', 'bar'), 200],
    [basic('foo', 'wrong'), 401],
    [basic('foo', 'two'), 401],
    [basic('plain', 'a'), 200],
    [basic('nobody', 'bar'), 401],
    [basic('', 'bar'), 401],
    [{ authorization: 'Bearer x' }, 401],
    [{ authorization: 'Basic ' }, 401],
  ])('%o: %i', async (headers, status) => {
    await start({ users, realm: 'Staff only' });
    for (let time = 0; time < 2; time += 1) {
      const answer = await world.ask({ headers });
      expect(answer.status).toBe(status);
      expect(answer.headers['www-authenticate']).toBe(
        status === 401 ? 'Basic realm="Staff only"' : undefined,
      );
    }
    for (const { headers: received } of world.received) {
      expect(received.authorization).toBeUndefined();
    }
  });

  test('without users nobody is let in', async () => {
    await start({});
    expect((await world.ask({ headers: basic('nobody', '') })).status).toBe(401);
  });

  test('what is wrong is said without the secret', async () => {
    const refused = start({ users: ['foo:verysecret'] });
    await expect(refused).rejects.toThrow(/form of the hash is not known/);
    await expect(refused).rejects.not.toThrow(/verysecret/);
    await expect(start({ users: ['nocolon'] })).rejects.toThrow(/name:hash/);
    await expect(start({ realm: 'a", b="c' })).rejects.toThrow(/quotes/);
  });
});

describe('satisfy', () => {
  const guard = (satisfy: string) => [
    { name: 'address-filter', config: { allow: ['127.0.0.7'], satisfy } },
  ];
  test.each<[string, string, Record<string, string>, number]>([
    ['any', '127.0.0.1', {}, 401],
    ['any', '127.0.0.7', {}, 200],
    ['any', '127.0.0.1', basic('foo', 'bar'), 200],
    ['all', '127.0.0.1', {}, 403],
    ['all', '127.0.0.1', basic('foo', 'bar'), 403],
    ['all', '127.0.0.7', {}, 401],
    ['all', '127.0.0.7', basic('foo', 'bar'), 200],
  ])('%s from %s with %o: %i', async (satisfy, from, headers, status) => {
    await start({ users: ['foo:{PLAIN}bar'], satisfy }, guard(satisfy));
    expect((await world.ask({ from, headers })).status).toBe(status);
    expect(world.received.length).toBe(status === 200 ? 1 : 0);
  });

  test('any with one guard only keeps out as well', async () => {
    await start({ users: ['foo:{PLAIN}bar'], satisfy: 'any' });
    expect((await world.ask()).status).toBe(401);
    expect(world.received).toEqual([]);
  });
});
