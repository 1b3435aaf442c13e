import { describe, expect, it } from 'vitest';
import type { Operation } from './operation.ts';
import { reportJson } from './report-json.ts';
import { failureText, operationText } from './report-text.ts';
import { maskEntity } from './secrets.ts';

const operation = (parts: Partial<Operation>): Operation => ({
  index: 0,
  op: 'update',
  collection: 'services',
  id: 'x',
  label: 'a',
  changes: [],
  dependsOn: [],
  ...parts,
});

describe('operationText', () => {
  it('shows what changes, with the records that it is in', () => {
    const text = operationText(
      operation({
        changes: [
          { path: ['port'], before: 80, after: 81 },
          { path: ['healthchecks', 'active', 'type'], before: 'http', after: null },
          { path: ['tags'], before: null, after: ['x'] },
        ],
      }),
    );
    expect(text).toBe(
      [
        'updating service a  {',
        '-  "port": 80',
        '+  "port": 81',
        '+  "tags": [',
        '+    "x"',
        '+  ]',
        '   "healthchecks": {',
        '     "active": {',
        '-      "type": "http"',
        '     }',
        '   }',
        ' }',
        '',
      ].join('\n'),
    );
  });

  it('masks secrets on both sides, and values of the environment', () => {
    const text = operationText(
      operation({
        collection: 'plugins',
        after: { id: 'x', name: 'session', config: { secret: 'new-one' } },
        changes: [
          { path: ['config', 'secret'], before: 'old-one', after: 'new-one' },
          { path: ['config', 'cookie_name'], before: 'a', after: 'from-env-b' },
        ],
      }),
      { secretValues: ['from-env'] },
    );
    expect(text).not.toMatch(/old-one|new-one|from-env/);
    expect(text).toContain('"cookie_name": "[masked]-b"');
  });
});

describe('failureText', () => {
  it('masks a secret that the server repeats', () => {
    const text = failureText(
      operation({
        op: 'create',
        collection: 'keyauth_credentials',
        after: { id: 'x', key: 'my"key' },
      }),
      new Error(
        'HTTP status 409 (message: "UNIQUE violation detected on \'{key=\\"my\\"key\\"}\'")',
      ),
    );
    expect(text).toContain('{key=\\"***\\"}');
  });
});

describe('maskEntity', () => {
  it('masks by kind, by schema and by telling names', () => {
    expect(maskEntity('certificates', { cert: 'c', key: 'k' })).toEqual({ cert: 'c', key: '***' });
    expect(
      maskEntity('plugins', {
        name: 'own',
        config: { api_key: 'k', list: [{ password: 'p' }], a: 1 },
      }),
    ).toEqual({ name: 'own', config: { api_key: '***', list: [{ password: '***' }], a: 1 } });
  });
});

describe('reportJson', () => {
  const after = { id: 'x', host: 'db.internal', tags: ['at db.internal'] };
  const run = (op: Operation['op'], extra: Partial<Operation>) =>
    reportJson(
      { operations: [operation({ op, ...extra })], errors: [], dropped: [] },
      { secretValues: ['db.internal'] },
    );

  it('has what is new and what is old, without values of the environment', () => {
    const shown = { id: 'x', host: '[masked]', tags: ['at [masked]'] };
    const item = (body: object) => [{ name: 'a', kind: 'service', body }];
    expect(run('create', { after }).changes).toMatchObject({
      creating: item({ new: shown, old: null }),
    });
    expect(run('delete', { before: after }).changes).toMatchObject({
      deleting: item({ new: shown, old: null }),
    });
    expect(run('update', { after, before: { id: 'x', host: 'old' } }).changes).toMatchObject({
      updating: item({ new: shown, old: { id: 'x', host: 'old' } }),
    });
  });

  it('has no secrets', () => {
    const report = run('create', {
      collection: 'keyauth_credentials',
      after: { id: 'k', key: 'very-secret' },
    });
    expect(JSON.stringify(report)).not.toContain('very-secret');
  });
});
