import { loadChart } from '../chart/load-chart.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { GoMap } from '../go/value.ts';
import { type InstallOptions, installRelease } from '../release/install.ts';
import type { ReleaseContext } from '../release/release-context.ts';
import { ReleaseStorage } from '../release/release-storage.ts';
import { type RollbackOptions, rollbackRelease } from '../release/rollback.ts';
import { type UninstallOptions, uninstallRelease } from '../release/uninstall.ts';
import { type UpgradeOptions, upgradeRelease } from '../release/upgrade.ts';
import { goValueFromJson } from '../values/read-values.ts';
import { MemoryCluster } from './memory-cluster.ts';

/** What a test sees of the cluster, and what was told of hooks. */
export let cluster: MemoryCluster;
export let told: string[];

/** Begins with nothing. */
export function beginStage(): void {
  cluster = new MemoryCluster();
  told = [];
}

export function contextOf(helm: HelmMajor): ReleaseContext {
  const now = () => new Date('2026-01-01T00:00:00Z');
  return {
    ...{ helm, cluster, namespace: 'shop', now, timeZone: 'UTC' },
    storage: new ReleaseStorage(cluster, { namespace: 'shop', now }),
    random: (count) => new Uint8Array(count),
    onHookLog: ({ text }) => told.push(text),
  };
}

export const map = (name: string, more = '') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
export const hook = (name: string, event: string, more = '', kind = 'Job') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  annotations:\n    helm.sh/hook: ${event}\n${more}`;
export const chartOf = (templates: Record<string, string>, files: Record<string, string> = {}) =>
  loadChart(
    Object.entries({
      'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
      'values.yaml': 'a: 1\n',
      ...Object.fromEntries(Object.entries(templates).map(([k, v]) => [`templates/${k}.yaml`, v])),
      ...files,
    }).map(([name, text]) => ({ name, data: Buffer.from(text) })),
  );
export const values = (json = '{}') => goValueFromJson(json) as GoMap;

export const one = chartOf({ a: map('a', 'data:\n  v: "{{ .Values.a }}"\n'), b: map('b') });
export const two = chartOf({ a: map('a', 'data:\n  v: "{{ .Values.a }}"\n'), c: map('c') });

export const install = (chart = one, options: Partial<InstallOptions> = {}, helm: HelmMajor = 4) =>
  installRelease('web', chart, values(), contextOf(helm), { serverSide: helm === 4, ...options });
export const upgrade = (
  chart = two,
  options: Partial<UpgradeOptions> = {},
  given = '{}',
  helm: HelmMajor = 4,
) =>
  upgradeRelease('web', chart, values(given), contextOf(helm), { serverSide: 'auto', ...options });
export const rollback = (options: Partial<RollbackOptions> = {}, helm: HelmMajor = 4) =>
  rollbackRelease('web', contextOf(helm), { serverSide: 'auto', ...options });
export const uninstall = (options: UninstallOptions = {}, helm: HelmMajor = 4) =>
  uninstallRelease('web', contextOf(helm), options);

export async function history(): Promise<string[]> {
  const records = await contextOf(4).storage.history('web');
  return records.map(
    ({ release: { version, info } }) => `${version} ${info.status}: ${info.description}`,
  );
}
