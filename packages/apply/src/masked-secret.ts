import type { DynamicObject } from '@waygate/schema';
import { isObject } from '@waygate/text';

/** What stands for a value that is in one state of a Secret only. */
const mask = '***';
/** What stands for a value that differs, so that the difference shows and the value does not. */
const maskBefore = '*** (before)';
const maskAfter = '*** (after)';

/**
 * Two states of a Secret, without a value of either: only where they differ can be seen.
 *
 * ```ts
 * const secret = (b: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { b } });
 * const [before, after] = maskedSecrets(secret('eA=='), secret('eQ=='));
 * console.log(before.data, after.data); // different, and neither tells what it is
 * ```
 */
export function maskedSecrets(
  old: DynamicObject,
  now: DynamicObject,
): [DynamicObject, DynamicObject] {
  let [before, after] = [old, now];
  for (const field of ['data', 'stringData'] as const) {
    [before, after] = maskField(before, after, field);
  }
  return [before, after];
}

function maskField(
  old: DynamicObject,
  now: DynamicObject,
  field: 'data' | 'stringData',
): [DynamicObject, DynamicObject] {
  const before = isObject(old[field]) ? old[field] : undefined;
  const after = isObject(now[field]) ? now[field] : undefined;
  const masked = (
    values: Record<string, unknown>,
    others: Record<string, unknown> | undefined,
    changed: string,
  ) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const isChanged =
          others !== undefined && Object.hasOwn(others, key) && others[key] !== value;
        return [key, isChanged ? changed : mask];
      }),
    );
  return [
    before === undefined ? old : { ...old, [field]: masked(before, after, maskBefore) },
    after === undefined ? now : { ...now, [field]: masked(after, before, maskAfter) },
  ];
}
