import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderTemplates } from '../engine/render-templates.ts';
import { valuesType } from '../engine/values-type.ts';
import { GoMap } from '../go/value.ts';

/** What a real Helm 3.22 printed of each expression, or why it refused it. */
type Row = readonly [expression: string, printed: string | null, refused?: string];
const recorded = JSON.parse(
  readFileSync(new URL('testdata/expressions.json', import.meta.url), 'utf8'),
) as Record<string, Row[]>;

function printed(expression: string): string {
  const path = 'demo/templates/t.yaml';
  const text = `{{ printf "%v" (${expression}) }}`;
  const data = new GoMap([], valuesType(3));
  const files = [{ path, text, data, basePath: 'demo/templates' }];
  const rendered = renderTemplates(files, {
    helm: 3,
    now: new Date(0),
    random: (count) => new Uint8Array(count),
    timeZone: 'UTC',
  });
  return rendered.get(path) ?? '';
}

describe.each(Object.entries(recorded))('%s', (_group, rows) => {
  for (const [expression, wanted, refused] of rows)
    test(expression, () => {
      if (wanted === null) expect(() => printed(expression)).toThrow(refused);
      else expect(printed(expression)).toBe(wanted);
    });
});
