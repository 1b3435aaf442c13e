import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { PluginGateway } from '../../testing/plugin-gateway.ts';
import { DigestNonces } from './digest-nonces.ts';

const world = new PluginGateway();
afterEach(() => world.stop());

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const line = (name: string, realm: string, password: string) =>
  `${name}:${realm}:${md5(`${name}:${realm}:${password}`)}`;

const users = [line('ann', 'shop', 'secret'), line('ann', 'other', 'else')];

async function start(config: object = {}) {
  await world.start(await world.backend('a'), [
    { name: 'nginx-proxy' },
    { name: 'htpasswd-auth', config: { type: 'digest', realm: 'shop', users, ...config } },
  ]);
}

async function challenge(): Promise<string> {
  const { status, headers } = await world.ask();
  expect(status).toBe(401);
  return nonceOf(headers['www-authenticate']);
}

function nonceOf(header: string | undefined): string {
  const found = /^Digest algorithm="MD5", qop="auth", realm="shop", nonce="([^"]+)"/.exec(
    header ?? '',
  );
  expect(found).not.toBeNull();
  return found?.[1] ?? '';
}

interface Answer {
  readonly nonce: string;
  readonly name?: string;
  readonly password?: string;
  readonly uri?: string;
  readonly nc?: string;
  readonly qop?: string;
  readonly realm?: string;
}

/** What a client sends, by the RFC. */
function authorization(answer: Answer): { authorization: string } {
  const { nonce, name = 'ann', password = 'secret', uri = '/p?q=1' } = answer;
  const { nc = '00000001', qop = 'auth', realm = 'shop' } = answer;
  const [first, second] = [md5(`${name}:${realm}:${password}`), md5(`GET:${uri}`)];
  const response = md5(`${first}:${nonce}:${nc}:c0ffee:${qop}:${second}`);
  const fields = [
    `username="${name}", realm="${realm}", nonce="${nonce}", uri="${uri}"`,
    `qop=${qop}, nc=${nc}, cnonce="c0ffee", response="${response}", algorithm=MD5`,
  ];
  return { authorization: `Digest ${fields.join(', ')}` };
}

const ask = (answer: Answer) => world.ask({ path: '/p?q=1', headers: authorization(answer) });

describe('digest authentication', () => {
  test('a right answer lets in, and the upstream does not see it', async () => {
    await start();
    expect((await ask({ nonce: await challenge() })).status).toBe(200);
    expect(world.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('a nonce serves for further requests, each with its own number', async () => {
    await start();
    const nonce = await challenge();
    const counts = ['00000001', '00000002', '00000002', '00000001', '0000000a'];
    const answers = [];
    for (const nc of counts) answers.push(await ask({ nonce, nc }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 200]);
    expect(answers[2]?.headers['www-authenticate']).toContain('stale="true"');
  });

  test.each([
    ['a password that is wrong', { password: 'wrong' }],
    ['a name that nobody has', { name: 'bob' }],
    ['the password of another realm', { password: 'else', realm: 'other' }],
    ['another path', { uri: '/other' }],
    ['another protection', { qop: 'auth-int' }],
    ['a number that is none', { nc: 'zz' }],
  ])('%s is refused', async (_name, wrong) => {
    await start();
    const answer = await ask({ nonce: await challenge(), ...wrong });
    expect(answer.status).toBe(401);
    nonceOf(answer.headers['www-authenticate']);
    expect(world.received).toEqual([]);
  });

  test.each([['f'.repeat(58)], ['x'], ['']])(
    'a nonce of somebody else is refused: %s',
    async (nonce) => {
      await start();
      expect((await ask({ nonce })).status).toBe(401);
    },
  );

  test('who is wrong too often is not listened to, and others are', async () => {
    await start();
    const nonce = await challenge();
    for (let time = 0; time < 6; time += 1) await ask({ nonce, password: 'guess' });
    const late = await ask({ nonce });
    expect(late.status).toBe(401);
    expect(late.headers).not.toHaveProperty('www-authenticate');
    const headers = authorization({ nonce });
    const other = await world.ask({ path: '/p?q=1', headers, from: '127.0.0.2' });
    expect(other.status).toBe(200);
  });

  test.each([['ann:x'], [`ann:${md5('x')}`], [`:shop:${md5('x')}`]])(
    '%s is no line',
    async (one) => {
      await expect(start({ users: [one] })).rejects.toThrow('htdigest');
    },
  );
});

describe('nonces', () => {
  test('must be answered within a minute, and serve ten seconds from then', () => {
    const nonces = new DigestNonces();
    const old = nonces.create(0);
    expect(nonces.use(old, 1, 62_000)).toBe('stale');
    const nonce = nonces.create(0);
    expect(nonces.use(nonce, 1, 60_000)).toBe('good');
    expect(nonces.use(nonce, 2, 70_000)).toBe('good');
    expect(nonces.use(nonce, 3, 70_001)).toBe('stale');
  });

  test('serve twenty times', () => {
    const nonces = new DigestNonces();
    const nonce = nonces.create(0);
    const verdicts = Array.from({ length: 22 }, (_one, index) => nonces.use(nonce, index, 0));
    expect(verdicts.filter((verdict) => verdict === 'good')).toHaveLength(20);
    expect(verdicts[20]).toBe('stale');
  });

  test('that were forgotten are never new again', () => {
    const nonces = new DigestNonces();
    const nonce = nonces.create(0);
    expect(nonces.use(nonce, 1, 1_000)).toBe('good');
    // Others sweep it away.
    expect(nonces.use(nonces.create(200_000), 1, 200_000)).toBe('good');
    expect(nonces.use(nonce, 1, 200_000)).toBe('stale');
  });

  test('of another gateway are unknown', () => {
    expect(new DigestNonces().use(new DigestNonces().create(0), 1, 0)).toBe('unknown');
  });
});
