import type { JsonObject } from '@waygate/kong';
import { describe, expect, test } from 'vitest';
import type { EntityDifference } from '../../configuration/entity-difference.ts';
import { StoreSource } from '../../configuration/store-source.ts';
import type { CheckedEntities } from './checked-entities.ts';
import { loadDeclarative, loadInTurns } from './load-declarative.ts';

const document = (changed: string): JsonObject => ({
  _format_version: '3.0',
  services: Array.from({ length: 30 }, (_, index) => ({
    name: `s${index}`,
    host: index === 7 ? changed : 'h.test',
    routes: [{ name: `r${index}`, paths: [`/p${index}`] }],
  })),
});

describe('a declarative document after another', () => {
  test('changes only what is written in another way, whenever it comes', () => {
    let now = 1_700_000_000_000;
    const validation = { now: () => now };
    const source = new StoreSource(validation, () => undefined);
    let before: CheckedEntities | undefined;
    const load = (body: JsonObject): EntityDifference[] => {
      const result = loadDeclarative(body, { validation, store: source.createStore(), before });
      if (result.kind === 'invalid') throw new Error('the document is good');
      before = result.checked;
      return source.replace(result.store);
    };
    expect(load(document('h.test'))).toHaveLength(60);
    const untouched = source.store.get('routes', 'r3');
    now += 60_000;
    expect(load(document('h.test'))).toEqual([]);
    const changed = load(document('other.test'));
    expect(changed.map(({ collection, after }) => [collection, after?.name])).toEqual([
      ['services', 's7'],
    ]);
    expect(source.store.get('routes', 'r3')).toBe(untouched);
    expect(source.store.get('services', 's7')?.host).toBe('other.test');
  });

  test('is loaded in turns as it is at once, and one that is wrong changes nothing', async () => {
    const validation = { now: () => 1_700_000_000_000 };
    const source = new StoreSource(validation, () => undefined);
    const options = () => ({ validation, store: source.createStore(), before: undefined });
    const [atOnce, inTurns] = [
      loadDeclarative(document('h.test'), options()),
      await loadInTurns(document('h.test'), options()),
    ];
    expect(inTurns.kind === 'loaded' && inTurns.entities).toEqual(
      atOnce.kind === 'loaded' && atOnce.entities,
    );
    const wrong = await loadInTurns(document('not a host'), options());
    expect(wrong.kind).toBe('invalid');
    expect(source.store.count()).toBe(0);
  });
});
