import { ageText, encodeJson } from '@waygate/text';
import { ageColumn } from '../output/base-columns.ts';
import type { TableColumn } from '../resources/resource.ts';
import type { PrinterColumn } from './definition.ts';
import { jsonPath } from './json-path.ts';

/** The columns that a definition declares; without any, the age. */
export function customColumns(columns: readonly PrinterColumn[] | undefined): TableColumn[] {
  if (columns === undefined || columns.length === 0) return [{ ...ageColumn, type: 'date' }];
  return columns.map((column) => {
    const valuesOf = jsonPath(column.jsonPath);
    return {
      name: column.name,
      type: column.type,
      ...(column.format === undefined ? {} : { format: column.format }),
      description:
        column.description ??
        `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      priority: column.priority ?? 0,
      cell: (object, now) => cellOf(valuesOf(object), column, now),
    };
  });
}

function cellOf(values: readonly unknown[], column: PrinterColumn, now: number): unknown {
  const [first] = values;
  if (values.length === 0 || first === null || first === undefined) return null;
  switch (column.type) {
    case 'integer':
      if (typeof first === 'bigint') return first;
      return typeof first === 'number' ? Math.trunc(first) : null;
    case 'number':
      return typeof first === 'number' || typeof first === 'bigint' ? first : null;
    case 'boolean':
      return typeof first === 'boolean' ? first : null;
    case 'date':
      return ageText(first, now);
    default:
      return text(first);
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : encodeJson(value);
}
