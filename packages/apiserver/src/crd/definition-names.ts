import type { Definition } from './definition.ts';

type Names = Definition['status']['acceptedNames'];

/** What the definitions of a group have, each as its status tells it. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Why not all names of a definition are accepted. */
export interface NameClash {
  readonly reason: string;
  readonly message: string;
}

export interface SettledNames {
  readonly acceptedNames: Names;
  readonly clash: NameClash | undefined;
}

/** Plurals, singulars and short names are of one sort, kinds and kinds of lists of another. */
export function takenNames(all: Iterable<Names>): TakenNames {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { plural, singular = '', shortNames = [], kind, listKind = '' } of all) {
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * Gives a definition each of its names that is free, or its own already. What it does not get it
 * keeps as it was accepted before; of several clashes the last is told.
 */
export function settleNames(wanted: Names, had: Names, taken: TakenNames): SettledNames {
  let clash: NameClash | undefined;
  const settle = <T extends string | undefined>(
    reason: string,
    name: T,
    own: T,
    used: ReadonlySet<string>,
  ): T => {
    if ((name ?? '') === (own ?? '') || !used.has(name ?? '')) return name;
    clash = { reason, message: `"${name}" is already in use` };
    return own;
  };
  const plural = settle('PluralConflict', wanted.plural, had.plural, taken.resources);
  const singular = settle('SingularConflict', wanted.singular, had.singular, taken.resources);
  const inUse = (wanted.shortNames ?? []).filter(
    (name) => !had.shortNames?.includes(name) && taken.resources.has(name),
  );
  if (inUse.length > 0) clash = { reason: 'ShortNamesConflict', message: inUseText(inUse) };
  const shortNames = inUse.length > 0 ? had.shortNames : wanted.shortNames;
  const kind = settle('KindConflict', wanted.kind, had.kind, taken.kinds);
  const listKind = settle('ListKindConflict', wanted.listKind, had.listKind, taken.kinds);
  const acceptedNames = {
    plural,
    ...(singular === undefined ? {} : { singular }),
    ...(shortNames === undefined ? {} : { shortNames }),
    kind,
    ...(listKind === undefined ? {} : { listKind }),
    ...(wanted.categories === undefined ? {} : { categories: wanted.categories }),
  };
  return { acceptedNames, clash };
}

function inUseText(names: readonly string[]): string {
  const each = [...new Set(names)].map((name) => `"${name}" is already in use`);
  return each.length === 1 ? (each[0] as string) : `[${each.join(', ')}]`;
}
