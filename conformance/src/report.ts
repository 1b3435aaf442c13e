import type { KnownFailures } from './known-failures.ts';
import type { SuiteResult } from './run-suite.ts';

export interface Tally {
  total: number;
  passed: number;
  failed: number;
  skipped: number;
}

/** The JSON form of a run: the format that other tools read. */
export function toJson(results: readonly SuiteResult[]): unknown {
  return {
    suites: results.map((result) => ({
      suite: result.suite,
      ...tally(result.cases.map(({ outcome }) => outcome.kind)),
      cases: result.cases.map(({ id, outcome }) => ({
        id,
        ok: outcome.kind === 'pass',
        reason: outcome.kind === 'pass' ? '' : outcome.reason,
        ...(outcome.kind === 'skip' ? { skipped: true } : {}),
      })),
    })),
  };
}

/** A table by suite and feature, in Markdown, so that the same text serves terminal and docs. */
export function toTable(results: readonly SuiteResult[]): string {
  const rows: string[][] = [['suite', 'feature', 'cases', 'passed', 'failed', 'skipped', '%']];
  for (const result of results) {
    const features = groupByFeature(result);
    rows.push(row(result.suite, '', tally(result.cases.map(({ outcome }) => outcome.kind))));
    for (const [feature, kinds] of features) rows.push(row('', feature, tally(kinds)));
  }
  return format(rows);
}

/**
 * The compatibility page: the table, every case that fails with its reason, and what is left out.
 * `known` has, by suite, the reasons that somebody has written down; they say more than a difference.
 */
export function toPage(
  results: readonly SuiteResult[],
  known: ReadonlyMap<string, KnownFailures> = new Map(),
): string {
  const sections = results.map((result) => {
    const reasons = known.get(result.suite);
    const failed = result.cases.flatMap(({ id, outcome }) =>
      outcome.kind === 'fail' ? [`- \`${id}\`: ${inline(reasons?.get(id) || outcome.reason)}`] : [],
    );
    const rows = [...failed, ...skippedByReason(result)];
    return rows.length === 0 ? [] : [`## ${result.suite}`, '', ...rows, ''];
  });
  return [
    '# Compatibility',
    '',
    'Counted, not claimed: `npm run conformance -- --markdown docs/compatibility.md` wrote this page, from',
    'cases that were recorded from or computed by the real programs. Pages in',
    '[compatibility/](compatibility/) tell where Waygate does better on purpose.',
    '',
    toTable(results),
    '',
    ...sections.flat(),
  ].join('\n');
}

/** Cases that do not apply are many and alike: counted by their reason. */
function skippedByReason(result: SuiteResult): string[] {
  const counts = new Map<string, number>();
  for (const { outcome } of result.cases) {
    if (outcome.kind !== 'skip') continue;
    const reason = inline(outcome.reason);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => `- ${count} left out: ${reason}`);
}

function inline(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 240);
}

export function tally(kinds: readonly ('pass' | 'fail' | 'skip')[]): Tally {
  const counts = { total: kinds.length, passed: 0, failed: 0, skipped: 0 };
  for (const kind of kinds) {
    if (kind === 'pass') counts.passed += 1;
    else if (kind === 'fail') counts.failed += 1;
    else counts.skipped += 1;
  }
  return counts;
}

function groupByFeature(result: SuiteResult): Map<string, ('pass' | 'fail' | 'skip')[]> {
  const features = new Map<string, ('pass' | 'fail' | 'skip')[]>();
  for (const { feature, outcome } of result.cases) {
    const kinds = features.get(feature) ?? [];
    kinds.push(outcome.kind);
    features.set(feature, kinds);
  }
  return new Map([...features].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function row(suite: string, feature: string, { total, passed, failed, skipped }: Tally): string[] {
  const percent = total === 0 ? '–' : floored((100 * passed) / total);
  return [suite, feature, `${total}`, `${passed}`, `${failed}`, `${skipped}`, percent];
}

/** Of all cases, whether they were run or not; 100.0 only where none is missing. */
function floored(percent: number): string {
  return (Math.floor(percent * 10) / 10).toFixed(1);
}

function format(rows: readonly string[][]): string {
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column < 2 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join('\n');
}
