import { ApiError } from '../status/api-error.ts';
import { pathText } from './field-set.ts';
import type { Manager } from './managers.ts';
import type { OwnershipConflict } from './ownership.ts';

/** The 409 of an apply that would take fields from others. */
export function conflictError(conflicts: readonly OwnershipConflict[]): ApiError {
  const causes = conflicts
    .flatMap((conflict) =>
      [...conflict.fields.paths()].map((path) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${managerText(conflict.manager)}`,
        field: pathText(path),
      })),
    )
    .sort((a, b) => compareText(a.field, b.field) || compareText(a.message, b.message));
  return new ApiError(409, 'Conflict', message(causes), { causes });
}

function message(causes: readonly { message: string; field: string }[]): string {
  const [first] = causes;
  if (causes.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: ${first.message}: ${first.field}`;
  }
  const byManager = new Map<string, string[]>();
  for (const cause of causes) {
    const fields = byManager.get(cause.message) ?? [];
    fields.push(cause.field);
    byManager.set(cause.message, fields);
  }
  const parts = [...byManager]
    .sort(([a], [b]) => compareText(a, b))
    .map(
      ([text, fields]) =>
        `${text.replace('conflict with', 'conflicts with')}:\n${fields.map((field) => `- ${field}`).join('\n')}`,
    );
  return `Apply failed with ${causes.length} conflicts: ${parts.join('\n')}`;
}

function managerText(manager: Manager): string {
  const name = JSON.stringify(manager.manager);
  if (manager.operation === 'Apply') return name;
  const subresource =
    manager.subresource === '' ? '' : ` with subresource ${JSON.stringify(manager.subresource)}`;
  return `${name}${subresource} using ${manager.apiVersion}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
