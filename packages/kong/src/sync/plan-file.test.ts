import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../entity/entities.ts';
import { createPlan } from './create-plan.ts';
import { KongEntities } from './kong-entities.ts';
import { findDrift, parsePlan, serializePlan } from './plan-file.ts';

const ids = {
  web: '00000000-0000-4000-8000-000000000001',
  route: '00000000-0000-4000-8000-000000000002',
  old: '00000000-0000-4000-8000-000000000003',
};

type Entry = readonly ['services' | 'routes', { readonly id: string } & JsonObject];

function entities(...list: readonly Entry[]): KongEntities {
  const all = new KongEntities();
  for (const [collection, entity] of list) all.put(collection, entity);
  return all;
}

const web = (host: string): Entry => [
  'services',
  { id: ids.web, name: 'web', host, port: 80, protocol: 'http' },
];
const old: Entry = ['services', { id: ids.old, name: 'old', host: 'old.test' }];
const route: Entry = [
  'routes',
  { id: ids.route, name: 'all', paths: ['/'], service: { id: ids.web } },
];

describe('a saved plan', () => {
  const plan = createPlan(entities(web('a.test'), old), entities(web('b.test'), route));

  test('is the plan when it is read again, with its workspace if it has one', () => {
    expect(plan.operations.map(({ op }) => op).sort()).toEqual(['create', 'delete', 'update']);
    const text = serializePlan(plan);
    expect(text.endsWith('}\n')).toBe(true);
    expect(parsePlan(text)).toEqual(JSON.parse(JSON.stringify({ operations: plan.operations })));
    expect(parsePlan(serializePlan({ ...plan, workspace: 'shop' })).workspace).toBe('shop');
    expect('workspace' in parsePlan(text)).toBe(false);
  });

  const saved = JSON.parse(serializePlan(plan));
  test.each([
    ['no JSON', '{', 'the plan is not JSON'],
    ['null', 'null', 'this is no plan of version 1'],
    ['of another version', JSON.stringify({ ...saved, version: 2 }), 'no plan of version 1'],
    ['without operations', JSON.stringify({ version: 1 }), 'no plan of version 1'],
  ])('that is %s is refused', (_what, text, message) => {
    expect(() => parsePlan(text)).toThrow(
      expect.objectContaining({ code: 'WG_KONG_FILE', message: expect.stringContaining(message) }),
    );
  });

  test.each<[string, unknown]>([
    ['op', 'replace'],
    ['collection', 'elsewhere'],
    ['collection', 7],
    ['id', null],
    ['label', undefined],
    ['changes', 'none'],
    ['dependsOn', 'none'],
    ['dependsOn', [1]],
    ['dependsOn', ['0']],
    ['dependsOn', [0.5]],
    ['index', 2],
  ])('in which %s of an operation is %j is refused, and the operation named', (field, value) => {
    const operations = structuredClone(saved.operations);
    operations[1][field] = value;
    expect(() => parsePlan(JSON.stringify({ ...saved, operations }))).toThrow(
      'operation 1 of the plan is broken',
    );
  });

  test.each([[null], ['text'], [3]])('with %j for an operation is refused', (operation) => {
    const operations = [operation, ...saved.operations.slice(1)];
    expect(() => parsePlan(JSON.stringify({ ...saved, operations }))).toThrow('operation 0');
  });
});

describe('what has changed on the server since', () => {
  test.each([
    ['nothing', entities(web('a.test'), old), []],
    [
      'what is to be made is there',
      entities(web('a.test'), old, route),
      ['routes all is there already'],
    ],
    ['what is to be deleted is gone', entities(web('a.test')), ['services old is gone']],
    ['what is to be changed was', entities(web('c.test'), old), ['services web was changed']],
    ['all of it is gone', entities(), ['services web is gone', 'services old is gone']],
  ])('%s', (_what, now, said) => {
    const plan = createPlan(entities(web('a.test'), old), entities(web('b.test'), route));
    expect([...findDrift(plan, now)].sort()).toEqual([...said].sort());
  });
});
