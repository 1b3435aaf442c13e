import type { ChangeDetail } from '../../../../src/protocol/changes.ts';

/** What a commit came to: `2 objects in the cluster`, `1 entity in the gateway`, `1 error`. */
export function sumOfCommit(
  changes: readonly ChangeDetail[],
): { readonly text: string; readonly isBad: boolean }[] {
  const errors = changes.filter(({ change }) => change.kind === 'error').length;
  return [
    // An object that was applied twice is one object.
    {
      count: distinct(changes, objectNames),
      one: 'object in the cluster',
      many: 'objects in the cluster',
    },
    {
      count: distinct(changes, entityNames),
      one: 'entity in the gateway',
      many: 'entities in the gateway',
    },
    { count: errors, one: 'error', many: 'errors', isBad: true },
  ].flatMap(({ count, one, many, isBad = false }) =>
    count === 0
      ? []
      : [{ text: `${count.toLocaleString('en')} ${count === 1 ? one : many}`, isBad }],
  );
}

function distinct(
  changes: readonly ChangeDetail[],
  namesOf: (detail: ChangeDetail) => readonly string[],
): number {
  return new Set(changes.flatMap(namesOf)).size;
}

function objectNames({ objects }: ChangeDetail): string[] {
  return objects.map(({ object: { group, kind, namespace, name } }) =>
    [group, kind, namespace, name].join(' '),
  );
}

function entityNames({ entities }: ChangeDetail): string[] {
  return entities.map(({ kind, name }) => `${kind} ${name}`);
}
