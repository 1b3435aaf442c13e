import { createHash } from 'node:crypto';
import { type GoMap, goValueFromJson, type StoredHook, type StoredRelease } from '@waygate/helm';
import { goJson } from '@waygate/text';
import type { ReleaseSnapshot } from '../api/helm-objects.ts';
import { digestOfValues } from './release-values.ts';

/** What the status remembers of a revision, in the form in which Flux has it. */
export function snapshotOf(
  release: StoredRelease,
  more: { readonly action?: string | undefined; readonly ociDigest?: string | undefined } = {},
): ReleaseSnapshot {
  const { metadata } = release.chart;
  const { info } = release;
  const { action, ociDigest } = more;
  return {
    apiVersion: 'v2beta2',
    digest: releaseDigest(release, ociDigest),
    name: release.name,
    namespace: release.namespace,
    version: release.version,
    status: info.status,
    ...(action && { action }),
    chartName: metadata.name,
    chartVersion: metadata.version,
    ...(metadata.appVersion && { appVersion: metadata.appVersion }),
    configDigest: digestOfConfig(release.config),
    firstDeployed: seconds(info.first_deployed),
    lastDeployed: seconds(info.last_deployed),
    ...(info.deleted && { deleted: seconds(info.deleted) }),
    ...(ociDigest && { ociDigest }),
  };
}

function digestOfConfig(config: Record<string, unknown> | undefined): string {
  return digestOfValues(goValueFromJson(JSON.stringify(config ?? {})) as GoMap);
}

/** `2026-11-15T16:05:08Z`: what the API takes for a time. Helm stores those of the zone that it runs in. */
function seconds(time: string | undefined): string {
  return new Date(time || 0).toISOString().replace(/\.\d+/, '');
}

/**
 * The digest of a stored release, as Flux makes it: of the JSON that Go writes of what was observed. Tests
 * are left out: somebody may run them by hand.
 */
export function releaseDigest(release: StoredRelease, ociDigest?: string): string {
  const { info, chart, config, manifest, namespace } = release;
  const hooks = (release.hooks ?? []).filter(({ events }) => !events.includes('test'));
  const observed = {
    name: release.name,
    version: release.version,
    info: {
      ...(info.first_deployed && { first_deployed: info.first_deployed }),
      ...(info.last_deployed && { last_deployed: info.last_deployed }),
      ...(info.deleted && { deleted: info.deleted }),
      ...(info.description && { description: info.description }),
      ...(info.status && { status: info.status }),
      ...(info.rollback_revision && { rollback_revision: info.rollback_revision }),
      ...(info.notes && { notes: info.notes }),
    },
    chartMetadata: chart.metadata,
    config: config === undefined || Object.keys(config).length === 0 ? null : config,
    manifest,
    hooks: hooks.length === 0 ? null : hooks.map(observedHook),
    namespace,
    ...(ociDigest && { ociDigest }),
  };
  return `sha256:${createHash('sha256')
    .update(`${goJson(observed, { sortsKeys: ['annotations', 'config'] })}\n`)
    .digest('hex')}`;
}

function observedHook(hook: StoredHook): object {
  const { started_at, completed_at, phase } = hook.last_run;
  return {
    ...(hook.name && { name: hook.name }),
    ...(hook.kind && { kind: hook.kind }),
    ...(hook.path && { path: hook.path }),
    ...(hook.manifest && { manifest: hook.manifest }),
    ...(hook.events.length > 0 && { events: hook.events }),
    last_run: { ...(started_at && { started_at }), ...(completed_at && { completed_at }), phase },
    ...(hook.weight && { weight: hook.weight }),
    ...(hook.delete_policies && { delete_policies: hook.delete_policies }),
    ...(hook.output_log_policies && { output_log_policies: hook.output_log_policies }),
  };
}

/** Whether a snapshot is of that very revision. */
export function targets(snapshot: ReleaseSnapshot, release: StoredRelease): boolean {
  const { name, namespace, version } = release;
  return snapshot.name === name && snapshot.namespace === namespace && snapshot.version === version;
}

/** The last revision but the latest that went well: what a rollback goes back to. */
export function previousOf(
  history: readonly ReleaseSnapshot[],
  ignoresTests: boolean,
): ReleaseSnapshot | undefined {
  return history
    .slice(1)
    .find(
      (snapshot) =>
        ['deployed', 'superseded'].includes(snapshot.status) &&
        (ignoresTests || !hasFailedTest(snapshot)),
    );
}

export function hasFailedTest({ testHooks = {} }: ReleaseSnapshot): boolean {
  return Object.values(testHooks).some(({ phase }) => phase === 'Failed');
}

/** The latest revision and those back to the one that a rollback would go to; at most five without one. */
export function truncated(
  history: readonly ReleaseSnapshot[],
  ignoresTests: boolean,
): ReleaseSnapshot[] {
  const byVersion = history.toSorted((a, b) => b.version - a.version);
  const previous = previousOf(byVersion, ignoresTests);
  if (previous === undefined) return byVersion.slice(0, 5);
  return byVersion.slice(0, byVersion.indexOf(previous) + 1);
}

/** `shop/web.v3`. */
export function fullName({ namespace, name, version }: ReleaseSnapshot): string {
  return `${namespace}/${name}.v${version}`;
}

/** `web@1.2.3`. */
export function chartNameOf({ chartName, chartVersion }: ReleaseSnapshot): string {
  return `${chartName}@${chartVersion}`;
}
