import { DatabaseSync } from '@waygate/ingress';
import { AdminClient } from '@waygate/kong';
import { systemClock } from '@waygate/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ingress, keyAuth, keySecret, kong, object, ours, plugin } from '../ingress/kind-row.ts';
import { Crossing } from './crossing.ts';
import { check, httpRoute, objectsOf, prefix, type Row } from './row.ts';

// A sample with a database: what is translated is written entity by entity, each row over the one before.
const rows: readonly Row[] = [
  {
    name: 'an annotation of an Ingress and one of a Service',
    service: { 'konghq.com/path': '/base' },
    objects: [ingress('example.com', { 'konghq.com/strip-path': 'true' }, { path: '/api' })],
    asks: [
      { path: '/api/x?y=z', sees: { url: '/base/x?y=z' } },
      { path: '/x', status: 404, sees: 'none' },
    ],
  },
  {
    name: 'a replaced prefix',
    objects: [
      httpRoute([
        {
          ...prefix('/old'),
          filters: [
            {
              type: 'URLRewrite',
              urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } },
            },
          ],
        },
      ]),
    ],
    asks: [
      { path: '/old', sees: { url: '/' } },
      { path: '/old/a', sees: { url: '/a' } },
    ],
  },
  {
    name: 'a consumer with a key',
    objects: [
      ingress('example.com', { 'konghq.com/plugins': 'auth' }),
      keyAuth,
      keySecret('k', 'opens'),
      object(
        `${kong}/v1`,
        'KongConsumer',
        'c',
        { username: 'ann', credentials: ['k'] },
        { annotations: ours },
      ),
    ],
    asks: [
      { status: 401, sees: 'none' },
      { headers: { apikey: 'opens' }, sees: { headers: { 'x-consumer-username': 'ann' } } },
    ],
  },
  {
    name: 'a template',
    objects: [
      ingress('example.com', { 'konghq.com/plugins': 'p' }),
      plugin('p', 'request-transformer', {
        add: { headers: ['X-Host:$(headers.host:upper())'] },
      }),
    ],
    asks: [{ sees: { headers: { 'x-host': 'EXAMPLE.COM', 'x-consumer-username': null } } }],
  },
  {
    name: 'an upstream with two targets',
    to: ['one', 'two'],
    objects: [ingress('example.com')],
    asks: [{ sees: { headers: { 'x-host': null } } }, { sees: {} }],
  },
];

describe.each(['traditional_compatible', 'expressions'] as const)('a database, %s', (flavor) => {
  const crossing = new Crossing(flavor);
  let client: AdminClient;
  let sync: DatabaseSync;
  beforeAll(async () => {
    await crossing.start('database');
    client = new AdminClient({ url: `http://127.0.0.1:${crossing.addresses.admin?.port}` });
    sync = new DatabaseSync({ client: () => client, clock: systemClock });
  });
  afterAll(async () => {
    await client.close();
    await crossing.stop();
  });

  test.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const state = crossing.translated(objectsOf(row, crossing.place));
    const signal = AbortSignal.timeout(20_000);
    const outcome = await sync.sync({ state: () => state, changedServices: undefined }, signal);
    expect(outcome).toMatchObject({ kind: 'applied' });
    for (const exchange of row.asks) await check(crossing, exchange);
  });
});
