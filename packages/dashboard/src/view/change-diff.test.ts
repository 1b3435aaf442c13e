import { expect, test } from 'vitest';
import { entityDiffOf } from './change-diff.ts';

const canary = 'canary-Q4sd';

// A preview shows what would become of every collection, credentials among them.
test.each([
  ['certificates', { cert: '-----BEGIN CERTIFICATE-----', key: canary, key_alt: canary }],
  ['keyauth_credentials', { key: canary }],
  ['basicauth_credentials', { username: 'anna', password: canary }],
  ['hmacauth_credentials', { username: 'anna', secret: canary }],
  ['jwt_secrets', { key: 'anna', secret: canary }],
  ['oauth2_credentials', { name: 'app', client_id: 'app', client_secret: canary }],
  ['vaults', { name: 'hcv', prefix: 'v', config: { token: canary } }],
  ['plugins', { name: 'rate-limiting', config: { redis: { password: canary } } }],
] as const)('no secret of %s is in a diff', (collection, fields) => {
  const entity = (id: string) => ({ id, ...fields }) as never;
  for (const [before, after] of [
    [undefined, entity('a')],
    [entity('a'), entity('b')],
    [entity('a'), undefined],
  ]) {
    const diff = entityDiffOf({ collection, name: 'one', before, after });
    expect(diff.before + diff.after).toContain('id: ');
    expect(JSON.stringify(diff)).not.toContain(canary);
  }
});
