import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GatewayOptions } from '../gateway-options.ts';
import { AcmeAuthority } from '../testing/acme-authority.ts';
import { PluginGateway } from '../testing/plugin-gateway.ts';
import { RedisStandIn } from '../testing/redis-stand-in.ts';

const world = new PluginGateway();
let authority: AcmeAuthority;
let directory: string;

beforeEach(async () => {
  authority = new AcmeAuthority();
  directory = await authority.start();
});
afterEach(async () => {
  await world.stop();
  await authority.stop();
});

const errors: unknown[] = [];
const log = {
  warn: () => undefined,
  error: (_message: string, details?: object) => errors.push(details),
};

async function start(config: object = {}, options: GatewayOptions = {}): Promise<void> {
  errors.length = 0;
  const plugin = {
    name: 'acme',
    config: {
      account_email: 'me@shop.test',
      api_uri: directory,
      tos_accepted: true,
      cert_type: 'ecc',
      domains: ['shop.test', '*.shop.test'],
      fail_backoff_minutes: 5,
      ...config,
    },
  };
  await world.start(await world.backend('a'), [], { plugins: [plugin] }, { log, ...options });
  authority.challengePort = world.port;
}

/** Who issued the certificate that a client gets for a name. */
async function issuerFor(name: string): Promise<string> {
  const socket = connect({
    host: '127.0.0.1',
    port: world.securePort,
    servername: name,
    rejectUnauthorized: false,
  });
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  const { subject, issuer } = socket.getPeerCertificate();
  socket.destroy();
  return `${subject.CN} by ${issuer.CN}`;
}

describe('acme', () => {
  test.each(['ecc', 'rsa'])(
    'gets a certificate (%s) when a client first asks for a name',
    async (type) => {
      await start({ cert_type: type, rsa_key_size: 2048 });
      expect(await issuerFor('shop.test')).toContain('by localhost');
      await expect.poll(() => issuerFor('shop.test')).toBe('shop.test by authority');
      expect(await issuerFor('shop.test')).toBe('shop.test by authority');
      expect(authority.orders.map(({ host }) => host)).toEqual(['shop.test']);
    },
  );

  test('has one account for all names, and asks for each once, however many clients ask', async () => {
    await start();
    authority.staleNonces = 1;
    const names = ['a.shop.test', 'b.shop.test', 'A.shop.test', 'b.shop.test'];
    await Promise.all(names.map(issuerFor));
    await expect.poll(() => issuerFor('a.shop.test')).toBe('a.shop.test by authority');
    await expect.poll(() => issuerFor('b.shop.test')).toBe('b.shop.test by authority');
    expect(authority.orders.map(({ host }) => host).sort()).toEqual(['a.shop.test', 'b.shop.test']);
    expect(authority.accounts.size).toBe(1);
    expect(errors).toEqual([]);
  });

  test.each(['other.test', 'shop.test.evil.test', '127.0.0.1', 'localhost', '*.shop.test'])(
    'asks for no certificate for %s',
    async (name) => {
      await start();
      // Node sends no address as a server name.
      if (name !== '127.0.0.1') {
        expect(await issuerFor(name)).toContain('by localhost');
      }
      const answer = await world.ask({
        path: '/.well-known/acme-challenge/abc',
        headers: { host: name },
      });
      expect(answer.body).toBe('a');
      expect(authority.orders).toEqual([]);
    },
  );

  test('answers for a token that is not there, or is none, without asking the upstream', async () => {
    await start();
    for (const token of ['abc', '', '../x', 'a%2fb']) {
      const path = `/.well-known/acme-challenge/${token}`;
      expect((await world.ask({ path })).status).toBe(404);
    }
    expect(world.received).toEqual([]);
    expect((await world.ask({ path: '/' })).status).toBe(200);
  });

  test('says once why there is none, and leaves the authority alone for a while', async () => {
    await start();
    authority.challengePort = await world.backend('somebody else');
    await issuerFor('shop.test');
    await expect
      .poll(async () => {
        await issuerFor('shop.test');
        return errors;
      })
      .toEqual([
        {
          problem:
            'no certificate for shop.test: the authority says invalid: shop.test answered 200',
        },
      ]);
    await issuerFor('shop.test');
    expect(authority.orders).toHaveLength(1);
    // A neighbour is not made to wait for it.
    authority.challengePort = world.port;
    await issuerFor('b.shop.test');
    await expect.poll(() => issuerFor('b.shop.test')).toBe('b.shop.test by authority');
  });

  test('renews a certificate in time, and serves the old one until then', async () => {
    await start({ renew_threshold_days: 14 });
    authority.lifetimeMs = 13 * 86_400_000;
    await issuerFor('shop.test');
    await expect.poll(() => issuerFor('shop.test')).toBe('shop.test by authority');
    await expect.poll(() => authority.orders.length).toBeGreaterThan(1);
  });

  test('keeps account and certificates on disk', async () => {
    const place = mkdtempSync(join(tmpdir(), 'waygate-acme-'));
    try {
      const options = { mode: 'database' as const, directory: place };
      await start({ storage: 'kong' }, options);
      await issuerFor('shop.test');
      await expect.poll(() => issuerFor('shop.test')).toBe('shop.test by authority');
      await world.stop();
      await start({ storage: 'kong' }, options);
      expect(await issuerFor('shop.test')).toBe('shop.test by authority');
      expect(authority.orders).toHaveLength(1);
    } finally {
      await world.stop();
      rmSync(place, { recursive: true, force: true });
    }
  });

  test('keeps them in a Redis for all nodes, and goes on without one', async () => {
    const redis = new RedisStandIn();
    try {
      const port = await redis.start();
      const at = { host: '127.0.0.1', port, database: 0, extra_options: { namespace: 'ours:' } };
      await start({ storage: 'redis', storage_config: { redis: at } });
      await issuerFor('shop.test');
      await expect.poll(() => issuerFor('shop.test')).toBe('shop.test by authority');
      expect([...redis.kept.keys()].filter((key) => !key.startsWith('ours:'))).toEqual([]);
      expect(redis.kept.has('ours:kong_acme:cert_key:shop.test')).toBe(true);
      expect(redis.kept.has('ours:kong_acme:update_lock:shop.test')).toBe(false);
      await world.stop();
      // Another node: it serves what the first one got.
      await start({ storage: 'redis', storage_config: { redis: at } });
      expect(await issuerFor('shop.test')).toBe('shop.test by authority');
      expect(authority.orders).toHaveLength(1);
      redis.stop();
      expect(await issuerFor('b.shop.test')).toContain('by localhost');
      expect((await world.ask({ path: '/' })).status).toBe(200);
    } finally {
      redis.stop();
    }
  });

  test('shows an authority whose customer it is, and is refused with another secret', async () => {
    const secret = Buffer.from('a secret of 32 bytes, or so long').toString('base64url');
    authority.customers.set('customer', secret);
    await start({ eab_kid: 'customer', eab_hmac_key: secret });
    await issuerFor('shop.test');
    await expect.poll(() => issuerFor('shop.test')).toBe('shop.test by authority');
    await world.stop();
    await start({ eab_kid: 'customer', eab_hmac_key: 'b3RoZXI' });
    await issuerFor('shop.test');
    await expect
      .poll(async () => {
        await issuerFor('shop.test');
        return JSON.stringify(errors);
      })
      .toContain('externalAccountRequired');
  });

  test.each([
    ['other authority', 'shop.test by other authority'],
    // Nobody has it: what comes unasked is better than nothing.
    ['nobody', 'shop.test by authority'],
  ])('takes the chain that ends with %s where there are several', async (preferred, got) => {
    authority.alternate = 'other authority';
    await start({ preferred_chain: preferred });
    await issuerFor('shop.test');
    await expect.poll(() => issuerFor('shop.test')).toBe(got);
  });

  test.each([
    [{ storage: 'vault' }, /shm, kong or redis/],
    [{ account_key: { key_id: 'a' } }, /makes the key/],
  ])('refuses what it cannot do: %j', async (config, reason) => {
    await expect(start(config)).rejects.toThrow(reason);
  });
});
