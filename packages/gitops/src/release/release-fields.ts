import { createHash } from 'node:crypto';
import type { HelmRelease, Remediation } from '../api/helm-objects.ts';
import { durationMs } from '../interval.ts';

/** The name that Helm knows the release by: long ones are cut, with a hash of the whole. */
export function releaseNameOf({ spec, metadata }: HelmRelease): string {
  const { releaseName, targetNamespace } = spec;
  const name =
    releaseName || (targetNamespace ? `${targetNamespace}-${metadata.name}` : metadata.name!);
  if (name.length <= 53) return name;
  return `${name.slice(0, 40)}-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
}

export function releaseNamespaceOf({ spec, metadata }: HelmRelease): string {
  return spec.targetNamespace || metadata.namespace || '';
}

export function storageNamespaceOf({ spec, metadata }: HelmRelease): string {
  return spec.storageNamespace || metadata.namespace || '';
}

/** How long an action may take: its own word, or the release's, or five minutes. */
export function actionTimeoutMs(
  { spec }: HelmRelease,
  action: { timeout?: string } | undefined,
): number {
  return durationMs(action?.timeout ?? spec.timeout, 300_000);
}

/** What is to be done about failures of what was tried last; undefined when nothing was. */
export function activeRemediation(object: HelmRelease): Required<Remediation> | undefined {
  const { spec, status } = object;
  switch (status?.lastAttemptedReleaseAction) {
    case 'install':
      return {
        retries: spec.install?.remediation?.retries ?? 0,
        ignoreTestFailures: ignoresTestFailures(object, spec.install?.remediation),
        remediateLastFailure: spec.install?.remediation?.remediateLastFailure ?? false,
        strategy: 'uninstall',
      };
    case 'upgrade': {
      const {
        retries = 0,
        remediateLastFailure,
        strategy = 'rollback',
      } = spec.upgrade?.remediation ?? {};
      return {
        retries,
        ignoreTestFailures: ignoresTestFailures(object, spec.upgrade?.remediation),
        remediateLastFailure: remediateLastFailure ?? retries > 0,
        strategy,
      };
    }
    default:
      return undefined;
  }
}

function ignoresTestFailures({ spec }: HelmRelease, remediation: Remediation | undefined): boolean {
  return remediation?.ignoreTestFailures ?? spec.test?.ignoreFailures ?? false;
}

/** How long to wait before what failed is tried again without undoing it; undefined: it is undone. */
export function retryIntervalMs({ spec, status }: HelmRelease): number | undefined {
  const action = status?.lastAttemptedReleaseAction === 'install' ? spec.install : spec.upgrade;
  if (status?.lastAttemptedReleaseAction === undefined) return undefined;
  if (action?.strategy?.name !== 'RetryOnFailure') return undefined;
  return durationMs(action.strategy.retryInterval, 300_000);
}

/** So many times it failed, and no more are allowed; less than none allows any number. */
export function isExhausted(failures: number | undefined, retries: number): boolean {
  return retries >= 0 && (failures ?? 0) > retries;
}

/** The digest of a part of the spec, to tell whether it changed. */
export function partDigest(part: unknown): string {
  if (part === undefined) return '';
  return `sha256:${createHash('sha256').update(JSON.stringify(part)).digest('hex')}`;
}
