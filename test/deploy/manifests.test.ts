import type { KubeObject } from '@waygate/schema';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  containersOf,
  directories,
  nameOf,
  objectsOf,
  objectsOfOwn,
  overlays,
  system,
  type Workload,
  workloadsOf,
} from './manifests.ts';
import { restrictedProblems } from './restricted.ts';

interface Selecting extends KubeObject {
  readonly spec: {
    readonly selector?: Readonly<Record<string, string>> & { matchLabels?: object };
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ports?: readonly { readonly targetPort: string | number }[];
    readonly ingress?: readonly { readonly ports: readonly { readonly port: string | number }[] }[];
  };
}

const built = new Map<string, readonly KubeObject[]>();

beforeAll(async () => {
  for (const directory of directories) built.set(directory, await objectsOf(directory));
});

const overlay = (name: string) => built.get(`overlays/${name}`)!;
const names = (objects: readonly KubeObject[]) => objects.map(nameOf).sort();

test('there is a directory for each way to install', () => {
  const dataPlanes = ['gateway', 'gateway-daemonset', 'kong-database', 'kong-discovery'];
  dataPlanes.push('kong-external', 'kong-sidecar', 'kong-sidecar-daemonset');
  expect(overlays).toEqual(
    ['gitops', ...dataPlanes.flatMap((one) => [`both-${one}`, `ingress-${one}`])].sort(),
  );
});

test('another namespace is said in one place', async () => {
  const resources = ['../deploy/overlays/both-gateway'];
  const text = JSON.stringify(await objectsOfOwn({ namespace: 'inner', resources }));
  expect(text).not.toContain(system);
});

test('components add to an overlay, and leave out', async () => {
  const resources = ['../deploy/overlays/ingress-gateway'];
  const components = ['without-crds', 'service-monitor', 'cert-manager', 'dashboard', 'traces'];
  components.push('daemonset');
  const objects = await objectsOfOwn({
    resources,
    components: components.map((name) => `../deploy/components/${name}`),
  });
  const kinds = objects.map(({ kind }) => kind);
  expect(kinds).not.toContain('CustomResourceDefinition');
  expect(kinds).toEqual(expect.arrayContaining(['ServiceMonitor', 'Certificate', 'DaemonSet']));
  // What writes the certificate of the webhook is cert-manager: nothing of ours may.
  expect(names(objects)).not.toContain('Role/waygate-webhook');
  const [ingress] = workloadsOf(objects);
  expect(ingress!.spec.template.spec.containers[0]!.args).not.toContain(
    '--admission-webhook-secret=waygate-webhook',
  );
  expect(ingress!.spec.template.spec.containers[0]!.args).toContain(
    '--dashboard-bind-address=:8080',
  );
  expect(names(objects)).toContain('Service/waygate-dashboard');
  expect(names(objects)).toContain('ClusterRole/waygate-traces');
  expect(restrictedProblems(ingress!.spec.template.spec)).toEqual([]);
});

test('deploy/ itself needs nothing else', () => {
  expect(names(built.get('.')!)).toEqual(names(overlay('both-gateway')));
});

describe.each(overlays)('%s', (name) => {
  const objects = () => overlay(name);
  const selected = (labels: object | undefined): Workload | undefined =>
    workloadsOf(objects()).find(({ spec }) =>
      Object.entries(labels ?? { none: '' }).every(
        ([key, value]) => spec.template.metadata.labels[key] === value,
      ),
    );

  test('says each thing once, in a namespace that it brings', () => {
    expect(new Set(names(objects())).size).toBe(objects().length);
    expect(names(objects())).toContain(`Namespace/${system}`);
    for (const { metadata } of objects()) expect([undefined, system]).toContain(metadata.namespace);
  });

  test('with both has what each alone has', () => {
    if (!name.startsWith('both-')) return;
    const parts = [...overlay(name.replace('both', 'ingress')), ...overlay('gitops')];
    const byName = (all: readonly KubeObject[]) =>
      Object.fromEntries(all.map((object) => [nameOf(object), object]));
    expect(byName(objects())).toEqual(byName(parts));
  });

  test('on each node runs the Pods that a Deployment would', () => {
    if (!name.endsWith('-daemonset')) return;
    const podsOf = (all: readonly KubeObject[]) =>
      workloadsOf(all).map(({ metadata, spec }) => {
        const { topologySpreadConstraints: _, ...pod } = spec.template.spec;
        return [metadata.name, pod];
      });
    expect(Object.fromEntries(podsOf(objects()))).toEqual(
      Object.fromEntries(podsOf(overlay(name.replace('-daemonset', '')))),
    );
    expect(workloadsOf(objects()).map(({ kind }) => kind)).toContain('DaemonSet');
  });

  test('gives the token of an account to the controller alone', () => {
    for (const { spec } of workloadsOf(objects())) {
      const { containers, automountServiceAccountToken } = spec.template.spec;
      const holders = containers.filter(({ volumeMounts = [] }) =>
        volumeMounts.some(({ mountPath }) => mountPath.endsWith('/serviceaccount')),
      );
      if (containers.length > 1) expect(automountServiceAccountToken).toBe(false);
      for (const { name: holder } of holders) expect(holder).toBe('controller');
    }
  });

  test('runs Pods that the restricted profile admits', () => {
    for (const { metadata, spec } of workloadsOf(objects()))
      expect(restrictedProblems(spec.template.spec), metadata.name).toEqual([]);
  });

  test('gives every Pod what production asks for', () => {
    const known = names(objects());
    for (const workload of workloadsOf(objects())) {
      const { spec } = workload.spec.template;
      expect(known).toContain(`PriorityClass/${spec.priorityClassName}`);
      if (spec.serviceAccountName !== undefined)
        expect(known).toContain(`ServiceAccount/${spec.serviceAccountName}`);
      for (const { resources } of containersOf(workload)) {
        expect(resources?.requests).toHaveProperty('cpu');
        expect(resources?.requests).toHaveProperty('memory');
        expect(resources?.limits).toHaveProperty('memory');
      }
      for (const { livenessProbe, readinessProbe } of spec.containers)
        expect([livenessProbe, readinessProbe]).not.toContain(undefined);
      const { replicas = 1 } = workload.spec as { replicas?: number };
      if (replicas > 1) expect(spec.topologySpreadConstraints).toHaveLength(2);
      expect(selected(workload.spec.selector.matchLabels)).toBe(workload);
      const budgets = objects().filter(({ kind }) => kind === 'PodDisruptionBudget') as Selecting[];
      expect(
        budgets.filter(({ spec: { selector } }) => selected(selector?.matchLabels) === workload),
      ).toHaveLength(1);
    }
  });

  test('names only ports of containers, of Pods that are there', () => {
    const portsOf = (workload: Workload) =>
      containersOf(workload).flatMap(({ ports = [] }) => ports.map((port) => port.name));
    for (const object of objects() as Selecting[]) {
      const { kind, spec } = object;
      if (kind !== 'Service' && kind !== 'NetworkPolicy') continue;
      const workload = selected(kind === 'Service' ? spec.selector : spec.podSelector?.matchLabels);
      expect(workload, nameOf(object)).toBeDefined();
      const named = [
        ...(spec.ports ?? []).map(({ targetPort }) => targetPort),
        ...(spec.ingress ?? []).flatMap(({ ports }) => ports.map(({ port }) => port)),
      ];
      for (const port of named) expect(portsOf(workload!), nameOf(object)).toContain(port);
    }
    for (const workload of workloadsOf(objects())) {
      const ports = portsOf(workload);
      expect(new Set(ports).size).toBe(ports.length);
    }
  });

  test('shuts every port but those that a policy opens', () => {
    const policies = objects().filter(({ kind }) => kind === 'NetworkPolicy') as Selecting[];
    for (const workload of workloadsOf(objects()))
      expect(
        policies.some(({ spec }) => selected(spec.podSelector?.matchLabels) === workload),
        nameOf(workload),
      ).toBe(true);
  });
});
