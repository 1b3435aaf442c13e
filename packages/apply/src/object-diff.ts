import type { DynamicObject } from '@waygate/schema';
import { printYaml } from '@waygate/text';
import type { Change } from './change-set.ts';
import { type DiffLine, diffLines } from './line-diff.ts';
import { maskedSecrets } from './masked-secret.ts';

/** Lines around a difference that are shown with it. */
const context = 3;

/**
 * What a change does to its object, for people: the lines of its YAML that differ, with a few around
 * them. Values of Secrets are not shown, only that they differ. Empty for what does not change.
 *
 * ```ts
 * const { changes } = await applyObjects(client, readObjects('{apiVersion: v1, kind: Namespace, metadata: {name: a}}'), {
 *   fieldManager: 'my-applier',
 *   selectors: applySelectors('kustomize.toolkit.fluxcd.io'),
 *   isPreview: true,
 * });
 * for (const change of changes) console.log(printChangeDiff(change));
 * ```
 */
export function printChangeDiff({ action, before, after }: Change): string {
  if (action === 'unchanged' || action === 'skipped' || action === 'absent') return '';
  const [old, now] = masked(shown(before), shown(action === 'deleted' ? undefined : after));
  return hunks(diffLines(linesOf(old), linesOf(now))).join('\n');
}

/** Without what only the server writes, and what is not asked for. */
function shown(object: DynamicObject | undefined): DynamicObject | undefined {
  if (object === undefined) return undefined;
  const { status: _status, ...rest } = object as DynamicObject & { status?: unknown };
  const metadata = { ...rest.metadata } as Record<string, unknown>;
  for (const key of [
    'managedFields',
    'resourceVersion',
    'uid',
    'generation',
    'creationTimestamp',
    'selfLink',
  ]) {
    delete metadata[key];
  }
  return { ...rest, metadata } as DynamicObject;
}

function masked(
  before: DynamicObject | undefined,
  after: DynamicObject | undefined,
): [DynamicObject | undefined, DynamicObject | undefined] {
  const some = before ?? after;
  if (some?.kind !== 'Secret') return [before, after];
  const empty = { metadata: {} } as DynamicObject;
  const [old, now] = maskedSecrets(before ?? empty, after ?? empty);
  return [before && old, after && now];
}

function linesOf(object: DynamicObject | undefined): string[] {
  return object === undefined ? [] : printYaml(object).trimEnd().split('\n');
}

function hunks(lines: readonly DiffLine[]): string[] {
  const marks = { same: ' ', removed: '-', added: '+' };
  const isNear = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    for (let near = index - context; near <= index + context; near++) {
      if (near >= 0 && near < lines.length) isNear[near] = true;
    }
  });
  const printed: string[] = [];
  lines.forEach(({ kind, text }, index) => {
    if (isNear[index]) printed.push(`${marks[kind]} ${text}`.trimEnd());
    else if (isNear[index - 1]) printed.push('  …');
    else if (isNear[index + 1] && printed.length === 0) printed.push('  …');
  });
  if (printed.at(-1) === '  …') printed.pop();
  return printed;
}
