import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSchema, pluginNames } from './schema-catalog.ts';
import { schemaViolation } from './schema-errors.ts';
import { validateEntity } from './validate-entity.ts';

interface RecordedCase {
  readonly schema: string;
  readonly input: Record<string, never>;
  readonly fields?: unknown;
  readonly message?: string;
}

const recorded: readonly RecordedCase[] = JSON.parse(
  readFileSync(new URL('./fixtures/validation-cases.json', import.meta.url), 'utf8'),
);

const fixed = { now: () => 1_800_000_000_000, newId: () => '0c9a1b1e-58a9-4a3a-8f40-5a0d1d6d9b10' };

/** The order of several messages in one line is not defined. */
function sortedMessages(message: string): readonly string[] {
  return message
    .replace(/^[^(]*\(/, '')
    .replace(/\)$/, '')
    .split('; ')
    .sort();
}

describe('validateEntity', () => {
  it.each(recorded)(
    'answers as Kong did for $schema $input',
    ({ schema, input, fields, message }) => {
      const { errors } = validateEntity(schema, input, fixed);
      if (fields === undefined) {
        expect(errors).toBeUndefined();
        return;
      }
      expect(errors).toEqual(fields);
      expect(sortedMessages(schemaViolation(errors ?? {}).message)).toEqual(
        sortedMessages(message as string),
      );
    },
  );

  it('fills defaults and nulls in the shape that Kong answers', () => {
    const { entity } = validateEntity(
      'services',
      { name: 'shop', url: 'https://shop.test/a' },
      fixed,
    );
    expect(entity).toEqual({
      id: '0c9a1b1e-58a9-4a3a-8f40-5a0d1d6d9b10',
      created_at: 1_800_000_000,
      updated_at: 1_800_000_000,
      name: 'shop',
      retries: 5,
      protocol: 'https',
      host: 'shop.test',
      port: 443,
      path: '/a',
      connect_timeout: 60_000,
      write_timeout: 60_000,
      read_timeout: 60_000,
      tags: null,
      client_certificate: null,
      tls_verify: null,
      tls_verify_depth: null,
      ca_certificates: null,
      enabled: true,
    });
  });

  it('takes old field names and answers both', () => {
    const config = { minute: 5, policy: 'redis', redis_host: 'r.test' };
    const { entity, errors } = validateEntity('plugins', { name: 'rate-limiting', config }, fixed);
    expect(errors).toBeUndefined();
    expect(entity.config).toMatchObject({
      redis_host: 'r.test',
      redis: { host: 'r.test', port: 6379 },
    });
  });

  it('refuses an old and a new name that disagree', () => {
    const config = { minute: 5, redis_host: 'a.test', redis: { host: 'b.test' } };
    expect(validateEntity('plugins', { name: 'rate-limiting', config }).errors).toEqual({
      config: {
        redis_host:
          'both deprecated and new field are used but their values mismatch: redis_host = a.test vs redis.host = b.test',
      },
    });
  });

  it('merges an update into the stored entity, records by field', () => {
    const existing = validateEntity(
      'plugins',
      { name: 'rate-limiting', config: { minute: 5 } },
      fixed,
    ).entity;
    const update = { config: { redis: { host: 'r.test' } } };
    const { entity } = validateEntity('plugins', update, { ...fixed, mode: 'update', existing });
    expect(entity.config).toMatchObject({
      minute: 5,
      redis_host: 'r.test',
      redis: { host: 'r.test' },
    });
  });

  it('says "when updating" when an update empties what is needed', () => {
    const existing = validateEntity('consumers', { username: 'a' }, fixed).entity;
    const { errors } = validateEntity(
      'consumers',
      { username: null },
      { ...fixed, mode: 'update', existing },
    );
    expect(errors).toEqual({
      '@entity': [
        "when updating, at least one of these fields must be non-empty: 'custom_id', 'username'",
      ],
    });
  });

  it('is not fooled by __proto__ keys', () => {
    const input = JSON.parse('{"host":"a.test","__proto__":{"polluted":true}}');
    expect(Object.keys(validateEntity('services', input).errors ?? {})).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('has a schema with a config record for every plugin', () => {
    expect(pluginNames().length).toBeGreaterThan(40);
    for (const name of pluginNames()) {
      const { errors } = validateEntity('plugins', { name, bogus: 1 }, fixed);
      expect(errors).toHaveProperty('bogus', 'unknown field');
    }
  });

  it('accepts again, unchanged, what it returned', () => {
    const names = ['services', 'routes', 'upstreams', 'consumers', 'key_sets'];
    const inputs: Record<string, Record<string, string | readonly string[]>> = {
      services: { host: 'a.test' },
      routes: { paths: ['/a'] },
      upstreams: { name: 'u' },
      consumers: { username: 'c' },
      key_sets: { name: 's' },
    };
    for (const name of names) {
      const first = validateEntity(name, inputs[name] ?? {}, fixed);
      expect(validateEntity(name, first.entity, fixed)).toEqual(first);
    }
  });

  it('says of a key that it is encrypted, in each of the forms that there are', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    for (const type of ['pkcs8', 'pkcs1'] as const) {
      const secret = { format: 'pem', type, cipher: 'aes-128-cbc', passphrase: 'p' } as const;
      const key = String(privateKey.export(secret));
      const { errors } = validateEntity('certificates', { cert: 'c', key, key_alt: key }, fixed);
      for (const field of ['key', 'key_alt']) expect(errors?.[field]).toContain('encrypted');
    }
  });

  it('never throws on any JSON, and is repeatable on what it accepts', () => {
    const names = ['services', 'routes', 'upstreams', 'plugins', 'certificates', 'keys', 'vaults'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.jsonValue(), fc.jsonValue(), (name, one, two) => {
        const fields = [...(findSchema(name)?.fields.keys() ?? [])];
        const input = Object.fromEntries(
          fields.map((field, index) => [field, index % 2 === 0 ? one : two]),
        ) as Record<string, never>;
        const result = validateEntity(name, input, fixed);
        if (result.errors !== undefined) {
          expect(schemaViolation(result.errors).message).toContain('schema violation');
        } else expect(validateEntity(name, result.entity, fixed).errors).toBeUndefined();
      }),
    );
  });
});
