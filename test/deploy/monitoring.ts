import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@waygate/text';
import { usedMetrics } from './prometheus-expression.ts';

const directory = fileURLToPath(new URL('../../deploy/monitoring', import.meta.url));
const read = (name: string) => readFileSync(join(directory, name), 'utf8');

export const dashboards = ['waygate-gitops.json', 'waygate-ingress.json'] as const;

export interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Rule {
  readonly alert: string;
  readonly expr: string;
}

export interface RuleFile {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

export function panelsOf(dashboard: string): readonly Panel[] {
  return (JSON.parse(read(dashboard)) as { panels: Panel[] }).panels;
}

/** The rules as a plain file, and as the resource of the operator. */
export function ruleFiles(): { readonly plain: RuleFile; readonly resource: RuleFile } {
  const { spec } = parseYaml(read('prometheus-rule.yaml')) as { spec: RuleFile };
  return { plain: parseYaml(read('rules.yaml')) as RuleFile, resource: spec };
}

/** Everything that monitoring asks for: of the dashboards, and of the rules. */
export function allExpressions(): readonly string[] {
  const panels = dashboards.flatMap((file) => panelsOf(file));
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = ruleFiles().plain.groups.flatMap((group) => group.rules);
  return [...asked, ...rules.map(({ expr }) => expr)];
}

/** Metrics by name, each with its labels; `undefined` where nothing tells them, as it has no samples yet. */
export type KnownMetrics = ReadonlyMap<string, ReadonlySet<string> | undefined>;

/** What scrapers add. */
export const addedLabels = ['job', 'instance', 'pod', 'namespace', 'le'];

/** What an expression asks for that there is not. */
export function missingMetrics(expression: string, known: KnownMetrics): string[] {
  const used = usedMetrics(expression);
  if (used.length === 0) return [`${expression} asks for nothing`];
  return used.flatMap(({ metric, labels }) => {
    if (!known.has(metric)) return [`${metric} in ${expression}`];
    const has = known.get(metric);
    return labels
      .filter((label) => has?.has(label) === false)
      .map((label) => `${metric}{${label}} in ${expression}`);
  });
}

const suffixes = { histogram: ['_bucket', '_sum', '_count'], summary: ['', '_sum', '_count'] };

/** The metrics of a page as a scraper gets it. */
export function scrapedMetrics(page: string): Map<string, Set<string> | undefined> {
  const known = new Map<string, Set<string> | undefined>();
  for (const line of page.split('\n')) {
    const [, named, type] = /^# TYPE (\S+) (\S+)/u.exec(line) ?? [];
    if (named !== undefined)
      for (const suffix of suffixes[type as keyof typeof suffixes] ?? [''])
        known.set(`${named}${suffix}`, undefined);
    const [, name, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /u.exec(line) ?? [];
    if (name === undefined) continue;
    const has = known.get(name) ?? new Set(addedLabels);
    for (const [, label] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/gu)) has.add(label ?? '');
    known.set(name, has);
  }
  return known;
}
