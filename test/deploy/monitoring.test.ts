import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotificationMetrics, ReconcileMetrics, standingAsideGauge } from '@waygate/gitops';
import { IngressMetrics } from '@waygate/ingress';
import { prometheusMetrics } from '@waygate/runtime';
import { parseYaml } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { usedMetrics } from './prometheus-expression.ts';

// Every expression of the dashboards and the alert rules asks for metrics that there are, by labels that
// they have: a renamed metric would otherwise be an empty panel, or an alert that never comes.

const directory = fileURLToPath(new URL('../../deploy/monitoring', import.meta.url));
const read = (name: string) => readFileSync(join(directory, name), 'utf8');

interface Rule {
  alert: string;
  expr: string;
}

interface RuleFile {
  groups: { rules: Rule[] }[];
}

/** What scrapers add. */
const added = ['job', 'instance', 'pod', 'namespace', 'le'];

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
    const labels = new Set([...labelNames, ...added]);
    const names = `${type}` === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of names) known.set(`${name}${suffix}`, labels);
  }
  return known;
}

const known = exposed();

function check(expression: string): void {
  const used = usedMetrics(expression);
  expect(used.length, expression).toBeGreaterThan(0);
  for (const { metric, labels } of used) {
    expect([...known.keys()], expression).toContain(metric);
    const has = known.get(metric) ?? new Set();
    for (const label of labels) expect([...has], `${metric} in ${expression}`).toContain(label);
  }
}

describe.each(['waygate-gitops.json', 'waygate-ingress.json'])('the dashboard %s', (file) => {
  const { panels } = JSON.parse(read(file)) as {
    panels: { title: string; targets: { expr: string; legendFormat: string }[] }[];
  };

  test.each(panels)('$title', ({ targets }) => {
    for (const { expr } of targets) check(expr);
  });

  test('names each panel once', () => {
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  });
});

describe('the alert rules', () => {
  const plain = parseYaml(read('rules.yaml')) as RuleFile;
  const { spec } = parseYaml(read('prometheus-rule.yaml')) as { spec: RuleFile };
  const rules = plain.groups.flatMap((group) => group.rules);

  test.each(rules)('$alert', ({ expr }) => check(expr));

  test('are the same in both files', () => {
    expect(spec).toEqual(plain);
  });
});

test('what the check would find', () => {
  expect(usedMetrics('sum by (a, b) (rate(x_total{c="d, e{", f=~"g"}[5m])) > 3')).toEqual([
    { metric: 'x_total', labels: ['c', 'f', 'a', 'b'] },
  ]);
  expect(
    usedMetrics('time() - max by (d) (y) and on (n) z > 0').map(({ metric }) => metric),
  ).toEqual(['y', 'z']);
  expect(() => check('no_such_metric > 0')).toThrow();
  expect(() => check('workqueue_depth{nobody="x"}')).toThrow();
});
