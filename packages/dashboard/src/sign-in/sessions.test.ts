import type { IncomingMessage } from 'node:http';
import type { KubeClient } from '@waygate/kube';
import { systemClock } from '@waygate/runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PersonProof } from '../access/person.ts';
import { CookieSeal } from './cookie-seal.ts';
import { Sessions } from './sessions.ts';

const secret = Buffer.alloc(32, 'k');
const person = (proof: PersonProof) => ({
  name: 'token' in proof ? `of ${proof.token}` : proof.user,
  key: JSON.stringify(proof),
  client: {} as KubeClient,
  proof,
});

/** One of several servers behind one address. */
function replica(key = secret) {
  const asked: PersonProof[] = [];
  const sessions = new Sessions({
    cookie: 'c',
    isSecure: true,
    clock: systemClock,
    shared: {
      seal: new CookieSeal(key),
      personOf: async (proof) => {
        asked.push(proof);
        return 'token' in proof && proof.token === 'ended' ? undefined : person(proof);
      },
    },
  });
  return { sessions, asked };
}

const withCookie = (header: string): IncomingMessage =>
  ({ headers: { cookie: header.split(';')[0] } }) as IncomingMessage;

describe('replicas with the same key', () => {
  test('know who signed in at another, with the same token against forged requests', async () => {
    const here = replica();
    const there = replica();
    const request = withCookie(here.sessions.open(person({ token: 'anna' })));
    const [one, two] = await Promise.all([
      there.sessions.find(request),
      there.sessions.find(request),
    ]);
    expect(one?.person.name).toBe('of anna');
    expect(two).toEqual(one);
    // Two requests at once ask the API once.
    expect(there.asked).toEqual([{ token: 'anna' }]);
    expect(one?.csrfToken).toBe((await here.sessions.find(request))?.csrfToken);
    expect(here.asked).toEqual([]);
  });

  test('ask again whether a token counts, and for how long', async () => {
    const { sessions } = replica();
    const ended = withCookie(sessions.open(person({ token: 'ended' })));
    expect(await replica().sessions.find(ended)).toBeUndefined();
    const over = withCookie(sessions.open(person({ token: 'anna' }), -1));
    expect(await replica().sessions.find(over)).toBeUndefined();
  });

  test('take back a cookie that was given back to them', async () => {
    const { sessions } = replica();
    const request = withCookie(sessions.open(person({ user: 'anna', groups: [] })));
    expect(await sessions.find(request)).toBeDefined();
    sessions.close(request);
    expect(await sessions.find(request)).toBeUndefined();
  });

  test('do not know those of another key', async () => {
    const request = withCookie(replica().sessions.open(person({ token: 'anna' })));
    const { sessions, asked } = replica(Buffer.alloc(32, 'x'));
    expect(await sessions.find(request)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  test('keep one whose proof is too long for a cookie to themselves', async () => {
    const { sessions } = replica();
    const header = sessions.open(person({ token: 'x'.repeat(5_000) }));
    expect(header.length).toBeLessThan(200);
    expect(await sessions.find(withCookie(header))).toBeDefined();
    expect(await replica().sessions.find(withCookie(header))).toBeUndefined();
  });
});

describe('a seal', () => {
  const seal = new CookieSeal(secret);

  test('opens what it sealed for the same use, and nothing that was changed anywhere', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, at, flip) => {
        const sealed = seal.seal('a', { text });
        expect(seal.open('a', sealed)).toEqual({ text });
        expect(seal.open('b', sealed)).toBeUndefined();
        const bytes = Buffer.from(sealed, 'base64url');
        bytes[at % bytes.length]! ^= flip;
        expect(seal.open('a', bytes.toString('base64url'))).toBeUndefined();
        expect(seal.open('a', sealed.slice(0, at % sealed.length))).toBeUndefined();
      }),
    );
  });

  test('shows nothing of what is in it', () => {
    const sealed = seal.seal('a', { token: 'canary-7Xq' });
    expect(Buffer.from(sealed, 'base64url').includes('canary')).toBe(false);
  });

  test('needs a secret that cannot be guessed', () => {
    expect(() => new CookieSeal(Buffer.from('short'))).toThrow('at least 32 bytes');
  });
});
