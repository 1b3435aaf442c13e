import { join } from 'node:path';
import type { KubeObject } from '@waygate/schema';
import { parseYamlAll } from '@waygate/text';
import { beforeAll, describe, expect, test } from 'vitest';
import { run, workspace } from '../real/processes.ts';
import { valuesOf } from './chart-values.ts';
import { findHelm } from './helm.ts';
import { nameOf, objectsOf, objectsOfOwn, overlays, system } from './manifests.ts';

// The chart and the overlays say the same, object by object.

const helm = await findHelm();
if ('problem' in helm) console.warn(`the chart is not rendered: ${helm.problem}`);

const chart = join(workspace, 'deploy/chart');

function template(values: readonly string[]) {
  const set = values.flatMap((value) => ['--set', value]);
  const place = ['waygate', chart, '--namespace', system, '--kube-version', '1.34.0'];
  return run('path' in helm ? helm.path : '', ['template', ...place, ...set]);
}

async function render(...values: string[]): Promise<readonly KubeObject[]> {
  const { code, stdout, stderr } = await template(values);
  if (code !== 0) throw new Error(stderr);
  return (parseYamlAll(stdout) as unknown as (KubeObject | null)[]).filter((one) => one !== null);
}

/** By name, without the word to Helm that definitions stay when it uninstalls. */
function byName(objects: readonly KubeObject[]): Record<string, KubeObject> {
  return Object.fromEntries(
    objects.map((object) => {
      const { annotations, ...metadata } = object.metadata;
      const { 'helm.sh/resource-policy': _, ...kept } = annotations ?? {};
      const hasSome = Object.keys(kept).length > 0;
      return [
        nameOf(object),
        { ...object, metadata: { ...metadata, ...(hasSome ? { annotations: kept } : {}) } },
      ];
    }),
  );
}

describe.skipIf('problem' in helm)('the chart', () => {
  let everything: readonly KubeObject[];

  beforeAll(async () => {
    everything = await render();
  });

  test('says each thing once', () => {
    expect(new Set(everything.map(nameOf)).size).toBe(everything.length);
  });

  test('keeps definitions, and with them all objects, when it is uninstalled', () => {
    const definitions = everything.filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(definitions.length).toBeGreaterThan(18);
    for (const { metadata } of definitions)
      expect(metadata.annotations).toHaveProperty(['helm.sh/resource-policy'], 'keep');
  });

  // What both have is what each has alone, on either side: one of them stands for all.
  const compared = overlays.filter((name) => !name.startsWith('both-') || name === 'both-gateway');

  test.each(compared)('is the same as overlays/%s', async (overlay) => {
    const wanted = (await objectsOf(`overlays/${overlay}`)).filter(
      ({ kind }) => kind !== 'Namespace',
    );
    expect(byName(await render(...valuesOf(overlay)))).toEqual(byName(wanted));
  });

  test("is the same as the component with cert-manager's certificate", async () => {
    const wanted = await objectsOfOwn({
      resources: ['../deploy/overlays/ingress-gateway'],
      components: ['../deploy/components/cert-manager'],
    });
    const made = await render('gitops.enabled=false', 'webhook.certManager=true');
    expect(byName(made)).toEqual(byName(wanted.filter(({ kind }) => kind !== 'Namespace')));
  });

  test('is the same as the component with the dashboard', async () => {
    const wanted = await objectsOfOwn({
      resources: ['../deploy/overlays/ingress-gateway'],
      components: ['../deploy/components/dashboard'],
    });
    const made = await render('gitops.enabled=false', 'dashboard.enabled=true');
    expect(byName(made)).toEqual(byName(wanted.filter(({ kind }) => kind !== 'Namespace')));
  });

  test('is the same as the components for traces and a standby', async () => {
    const wanted = await objectsOfOwn({
      resources: ['../deploy/overlays/both-gateway'],
      components: ['../deploy/components/traces', '../deploy/components/gitops-standby'],
    });
    const endpoint = 'http://otel-collector.observability:4318';
    const made = await render('gitops.replicas=2', `traces.endpoint=${endpoint}`);
    expect(byName(made)).toEqual(byName(wanted.filter(({ kind }) => kind !== 'Namespace')));
  });

  test('has what the other components add or leave out', async () => {
    const without = await render('crds.install=false', 'serviceMonitor.enabled=true');
    const kinds = new Set(without.map(({ kind }) => kind));
    expect(kinds).not.toContain('CustomResourceDefinition');
    expect(kinds).toContain('ServiceMonitor');
    const bare = await render('networkPolicies.enabled=false', 'priorityClasses.create=false');
    expect(bare.map(({ kind }) => kind)).not.toContain('NetworkPolicy');
    expect(bare.map(({ kind }) => kind)).not.toContain('PriorityClass');
    const silent = JSON.stringify(await render('webhook.enabled=false', 'crds.install=false'));
    expect(silent).not.toContain('webhook');
  });

  test('takes another name, and says it everywhere', async () => {
    const text = JSON.stringify(
      await render('name=inner', 'ingress.ingressClass=inner', 'crds.install=false'),
    );
    expect(text.replaceAll(system, '')).not.toContain('waygate-');
    expect(text).toContain('--ingress-class=inner');
  });

  test.each([
    ['dataPlane=nginx', /dataPlane/],
    ['ingress.workload=DaemonSet,dataPlane=kong-database', /dataPlane/],
    ['ingres.enabled=false', /ingres/],
    ['ingress.replicas=two', /replicas/],
  ])('refuses %s', async (values, why) => {
    const { code, stderr } = await template([values]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(why);
  });
});
