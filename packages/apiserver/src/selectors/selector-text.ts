import { isObject } from '@waygate/text';

/** A selector object as the text that a list query takes. */
export function selectorText(selector: unknown): string {
  if (!isObject(selector)) return '';
  const isObjectForm = isObject(selector.matchLabels) || Array.isArray(selector.matchExpressions);
  const labels = isObjectForm ? (selector.matchLabels ?? {}) : selector;
  const parts = Object.entries(labels as Record<string, string>).map(
    ([key, value]) => `${key}=${value}`,
  );
  for (const each of (selector.matchExpressions ?? []) as {
    key: string;
    operator: string;
    values?: string[];
  }[]) {
    if (each.operator === 'Exists') parts.push(each.key);
    else if (each.operator === 'DoesNotExist') parts.push(`!${each.key}`);
    else
      parts.push(
        `${each.key} ${each.operator.toLowerCase()} (${[...(each.values ?? [])].sort().join(',')})`,
      );
  }
  return parts.sort().join(',');
}
