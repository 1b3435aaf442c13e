import { NotificationMetrics, ReconcileMetrics, standingAsideGauge } from '@waygate/gitops';
import { IngressMetrics } from '@waygate/ingress';
import { prometheusMetrics } from '@waygate/runtime';
import { describe, expect, test } from 'vitest';
import {
  addedLabels,
  dashboards,
  missingMetrics,
  panelsOf,
  ruleFiles,
  scrapedMetrics,
} from './monitoring.ts';
import { usedMetrics } from './prometheus-expression.ts';

// Every expression of the dashboards and the alert rules asks for metrics that there are, by labels that
// they have: a renamed metric would otherwise be an empty panel, or an alert that never comes.

function exposed(): Map<string, Set<string>> {
  const metrics = prometheusMetrics({ withProcess: true });
  new ReconcileMetrics(metrics);
  new NotificationMetrics(metrics);
  standingAsideGauge(metrics, [], () => false);
  new IngressMetrics(metrics.registry, 'deck', 'id');
  const known = new Map<string, Set<string>>();
  for (const metric of metrics.registry.getMetricsAsArray()) {
    const {
      name,
      type,
      labelNames = [],
    } = metric as unknown as {
      name: string;
      type: string;
      labelNames?: string[];
    };
    const labels = new Set([...labelNames, ...addedLabels]);
    const names = `${type}` === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of names) known.set(`${name}${suffix}`, labels);
  }
  return known;
}

const known = exposed();

describe.each(dashboards)('the dashboard %s', (file) => {
  const panels = panelsOf(file);

  test.each(panels)('$title', ({ targets }) => {
    expect(targets.flatMap(({ expr }) => missingMetrics(expr, known))).toEqual([]);
  });

  test('names each panel once', () => {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});

describe('the alert rules', () => {
  const { plain, resource } = ruleFiles();
  const rules = plain.groups.flatMap((group) => group.rules);

  test.each(rules)('$alert', ({ expr }) => expect(missingMetrics(expr, known)).toEqual([]));

  test('are the same in both files', () => {
    expect(resource).toEqual(plain);
  });
});

test('what the check would find', () => {
  expect(usedMetrics('sum by (a, b) (rate(x_total{c="d, e{", f=~"g"}[5m])) > 3')).toEqual([
    { metric: 'x_total', labels: ['c', 'f', 'a', 'b'] },
  ]);
  expect(
    usedMetrics('time() - max by (d) (y) and on (n) z > 0').map(({ metric }) => metric),
  ).toEqual(['y', 'z']);
  expect(missingMetrics('no_such_metric > 0', known)).toEqual([
    'no_such_metric in no_such_metric > 0',
  ]);
  expect(missingMetrics('workqueue_depth{nobody="x"}', known)).toHaveLength(1);
});

test('a page of metrics is read as a scraper reads it', () => {
  const page = `# HELP a_total what it is
# TYPE a_total counter
a_total{kind="x",text="a \\"b{c}\\", d=\\"e\\""} 3
# TYPE b gauge
b 1
# TYPE c histogram
c_bucket{le="+Inf",kind="x"} 1
# TYPE d counter
`;
  const scraped = scrapedMetrics(page);
  expect([...scraped.keys()]).toEqual(['a_total', 'b', 'c_bucket', 'c_sum', 'c_count', 'd']);
  expect(missingMetrics('rate(a_total{kind="x"}[5m]) / b > 0', scraped)).toEqual([]);
  expect(missingMetrics('a_total{d="e"}', scraped)).toHaveLength(1);
  // Nothing has counted yet: its labels are not known.
  expect(missingMetrics('d{kind="x"} > 0', scraped)).toEqual([]);
});
