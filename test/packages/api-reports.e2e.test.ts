import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../code-blocks.ts';
import { buildTypes } from './build-types.ts';

// The reports say what the declarations of the doors say: a change of a public type shows in review.

type Reports = { apiReports(root: string): Record<string, () => string> };
const script: string = '../../scripts/api-report.mjs';
const { apiReports } = (await import(script)) as Reports;

beforeAll(buildTypes, 600_000);

test.each(Object.entries(apiReports(root)))('%s', (name, render) => {
  const told = readFileSync(join(root, name), 'utf8');
  // Not the whole text: what a failure shows is the first line that differs.
  expect(difference(told, render()), 'run `npm run docs`').toBeUndefined();
});

test('a report has every exported name, and what stands behind it', () => {
  const kube = apiReports(root)['packages/kube/api.txt']!();
  expect(kube).toContain('class KubeClient {');
  expect(kube).toContain('function retryOnConflict');
  expect(kube).not.toMatch(/^ *(\/\*|\*|#private)/m);
});

function difference(told: string, now: string): { told?: string; now?: string } | undefined {
  const [before, after] = [told.split('\n'), now.split('\n')];
  const at = after.findIndex((line, index) => line !== before[index]);
  if (at >= 0) return { told: `${before[at]}`, now: `${after[at]}` };
  return before.length === after.length ? undefined : { told: `${before[after.length]}` };
}
