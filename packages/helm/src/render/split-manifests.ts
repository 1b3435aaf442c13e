import type { HelmMajor } from '../engine/values-type.ts';

const space = new Set(['\t', '\n', '\f', '\r', ' ']);

/**
 * The documents of a file, by each Helm's own idea of what divides them: neither reads YAML for it.
 *
 * ```ts
 * splitManifests('a: 1\n---\nb: 2\n', 3); // ['a: 1', 'b: 2']
 * splitManifests('a: 1\n---\nb: 2\n', 4); // ['a: 1\n', 'b: 2\n']
 * ```
 */
export function splitManifests(text: string, helm: HelmMajor): string[] {
  if (helm === 3) {
    return splitByRuns(text.trim())
      .filter((part) => part !== '')
      .map((part) => part.trim());
  }
  return text
    .trimStart()
    .split(/^---[ \t]*/m)
    .filter((part) => part.trim() !== '')
    .map((part) => part.trimStart());
}

/** At `---` that starts the text or a line, with all white space around it. In one pass. */
function splitByRuns(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let search = 0;
  for (;;) {
    const at = text.indexOf('---', search);
    if (at < 0) break;
    const isDivider = at === 0 || (at > from && text[at - 1] === '\n');
    if (!isDivider) {
      search = at + 1;
      continue;
    }
    let start = at;
    while (start > from && space.has(text[start - 1]!)) start--;
    let end = at + 3;
    while (end < text.length && space.has(text[end]!)) end++;
    parts.push(text.slice(from, start));
    from = end;
    search = end;
  }
  parts.push(text.slice(from));
  return parts;
}
