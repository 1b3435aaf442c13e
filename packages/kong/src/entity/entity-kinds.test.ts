import { describe, expect, it } from 'vitest';
import { entityKind, entityKinds, findEntityKind, referencesTo } from './entity-kinds.ts';

describe('the table of entities', () => {
  it('lists every parent before its children', () => {
    const seen = new Set<string>();
    for (const kind of entityKinds) {
      for (const reference of kind.references) expect(seen).toContain(reference.collection);
      seen.add(kind.collection);
    }
  });

  it('names in parentField only a field that it knows', () => {
    for (const kind of entityKinds) {
      const references = kind.references.map((reference) => reference.field);
      if (kind.parentField !== undefined) expect(references).toContain(kind.parentField);
    }
  });

  it('finds kinds by collection and what refers to them', () => {
    expect(entityKind('routes').noun).toBe('route');
    expect(findEntityKind('nonsense')).toBeUndefined();
    expect(referencesTo('services').map(({ kind }) => kind.collection)).toEqual([
      'routes',
      'plugins',
    ]);
  });
});
