import type { TextError } from '@waygate/text';

/** What our YAML parser says, and what the one of the API says of the same. */
const translations: readonly (readonly [RegExp, string])[] = [
  [/Nested mappings are not allowed/, 'mapping values are not allowed in this context'],
  [/Implicit keys need to be on a single line/, 'mapping values are not allowed in this context'],
  [/must be sufficiently indented and end with a/, 'did not find expected node content'],
  [/Tabs are not allowed/, 'found character that cannot start any token'],
  [/Missing closing "quote/, 'found unexpected end of stream'],
  [/Missing closing 'quote/, 'found unexpected end of stream'],
  [/All mapping items must start at the same column/, 'did not find expected key'],
  [/Plain value cannot start with/, 'found character that cannot start any token'],
  [/Aliased anchor not found: (\S+)/, 'unknown anchor referenced'],
];

/** A syntax error in the words of the API's own parser, as well as they can be had. */
export function goYamlProblem(error: TextError, text: string): string {
  const own = error.message.replace(/^line \d+: /, '');
  const found = translations.find(([pattern]) => pattern.test(own));
  const why = found?.[1] ?? own;
  // The scanner counts lines from zero, so that the first has no number.
  const isScanner = why === 'mapping values are not allowed in this context';
  const line = (error.line ?? 0) - (isScanner ? 1 : 0);
  const last = text.trimEnd().split('\n').length;
  return line <= 0 ? `yaml: ${why}` : `yaml: line ${Math.min(line, last)}: ${why}`;
}
