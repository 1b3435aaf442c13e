import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonNodeOf } from './json-node-of.ts';
import { describeMisfits } from './values-schema.ts';

/** What a real Helm 3.22 said of each text in each format; null where it was content. */
const recorded = JSON.parse(
  readFileSync(new URL('testdata/formats.json', import.meta.url), 'utf8'),
) as Record<string, (readonly [text: string, said: string | null])[]>;

describe.each(Object.entries(recorded))('the format %s', (format, rows) => {
  const schema = JSON.stringify({
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { a: { format } },
  });

  test.each(rows)('%j: %s', (text, said) => {
    const wanted = said === null ? '' : `- at '/a': ${said}`;
    expect(describeMisfits(schema, jsonNodeOf({ a: text })).trimEnd()).toBe(wanted);
  });

  test('is of texts only', () => {
    expect(describeMisfits(schema, jsonNodeOf({ a: 5 }))).toBe('');
  });
});
