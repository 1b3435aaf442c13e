import { expect, test } from 'vitest';
import { settleNames, takenNames } from './definition-names.ts';

const none = { plural: '', kind: '' };
const wanted = {
  plural: 'things',
  singular: 'thing',
  shortNames: ['th', 'tg'],
  kind: 'Thing',
  listKind: 'ThingList',
  categories: ['all'],
};

/** What a neighbour of the group has; what the newcomer gets; why it does not get the rest. */
test.each([
  [{ plural: 'others', kind: 'Other' }, {}, undefined],
  [{ plural: 'things', kind: 'Other' }, { plural: '' }, 'PluralConflict: "things"'],
  [{ plural: 'thing', kind: 'Other' }, { singular: undefined }, 'SingularConflict: "thing"'],
  [{ plural: 'tg', kind: 'Other' }, { shortNames: undefined }, 'ShortNamesConflict: "tg"'],
  [
    { plural: 'others', shortNames: ['things'], kind: 'Other' },
    { plural: '' },
    'PluralConflict: "things"',
  ],
  [{ plural: 'others', kind: 'Thing' }, { kind: '' }, 'KindConflict: "Thing"'],
  [{ plural: 'others', kind: 'O', listKind: 'Thing' }, { kind: '' }, 'KindConflict: "Thing"'],
  [
    { plural: 'others', kind: 'Thing', listKind: 'ThingList' },
    { kind: '', listKind: undefined },
    'ListKindConflict: "ThingList"',
  ],
  [
    { plural: 'thing', kind: 'ThingList' },
    { singular: undefined, listKind: undefined },
    'ListKindConflict: "ThingList"',
  ],
])('beside %j', (neighbour, missing, why) => {
  const { acceptedNames, clash } = settleNames(wanted, none, takenNames([neighbour]));
  expect(acceptedNames).toEqual({ ...wanted, ...missing });
  expect(clash && `${clash.reason}: ${clash.message}`).toBe(why && `${why} is already in use`);
});

test('several short names that are taken are told together', () => {
  const taken = takenNames([{ plural: 'th', singular: 'tg', kind: 'Other' }]);
  expect(settleNames(wanted, none, taken).clash?.message).toBe(
    '["th" is already in use, "tg" is already in use]',
  );
});

test('what a definition has is its own, and what it cannot have leaves it as it was', () => {
  const had = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const taken = takenNames([had, { plural: 'others', shortNames: ['th'], kind: 'Other' }]);
  expect(settleNames(had, had, taken)).toEqual({ acceptedNames: had, clash: undefined });
  const { acceptedNames, clash } = settleNames({ ...had, shortNames: ['th'] }, had, taken);
  expect(acceptedNames).toEqual(had);
  expect(clash?.reason).toBe('ShortNamesConflict');
});
