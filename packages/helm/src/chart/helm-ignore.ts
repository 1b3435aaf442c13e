import { badPattern, goMatch } from '@waygate/text';
import { HelmError } from '../helm-error.ts';

interface IgnoreRule {
  readonly pattern: string;
  /** `!x` ignores everything that does NOT match x, the reverse of what git makes of it. */
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** A pattern without `/` is compared with the last part of a path. */
  readonly isForBaseName: boolean;
}

/** The rules of a `.helmignore`. */
type HelmIgnore = readonly IgnoreRule[];

/**
 * Reads a `.helmignore`; dot files in `templates/` are always ignored.
 *
 * ```ts
 * const rules = parseHelmIgnore('*.md\n/docs/\n');
 * isIgnored(rules, 'docs', true); // true
 * ```
 *
 * @throws HelmError `WG_HELM_CHART` for a pattern with `**` or a broken one
 */
export function parseHelmIgnore(text: string): HelmIgnore {
  const rules: IgnoreRule[] = [];
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const rule = parseRule(line.trim());
    if (rule !== undefined) rules.push(rule);
  }
  rules.push(parseRule('templates/.?*')!);
  return rules;
}

function parseRule(line: string): IgnoreRule | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  if (line.includes('**')) {
    throw new HelmError('WG_HELM_CHART', 'double-star (**) syntax is not supported');
  }
  try {
    goMatch(line, 'abc');
  } catch (cause) {
    throw new HelmError('WG_HELM_CHART', badPattern, { cause });
  }
  const isNegated = line.startsWith('!');
  const whole = isNegated ? line.slice(1) : line;
  const isForDirectories = whole.endsWith('/');
  const pattern = isForDirectories ? whole.slice(0, -1) : whole;
  return {
    pattern: pattern.replace(/^\//, ''),
    isNegated,
    isForDirectories,
    isForBaseName: !pattern.includes('/'),
  };
}

/** Whether a file, or a directory with all below it, is left out of the chart. */
export function isIgnored(rules: HelmIgnore, path: string, isDirectory: boolean): boolean {
  if (path === '' || path === '.' || path === './') return false;
  for (const rule of rules) {
    const isWrongKind = rule.isForDirectories && !isDirectory;
    if (rule.isNegated) {
      if (isWrongKind || !matches(rule, path)) return true;
    } else if (!isWrongKind && matches(rule, path)) return true;
  }
  return false;
}

function matches(rule: IgnoreRule, path: string): boolean {
  const name = rule.isForBaseName ? path.slice(path.lastIndexOf('/') + 1) : path;
  try {
    return goMatch(rule.pattern, name);
  } catch {
    // Half a pattern, as of `!]`, is one that matches nothing.
    return false;
  }
}
