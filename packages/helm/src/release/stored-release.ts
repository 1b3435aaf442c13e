import { gunzipSync, gzipSync } from 'node:zlib';
import type { ChartLock, ChartMetadata } from '../chart/metadata.ts';
import { HelmError } from '../helm-error.ts';
import type { HookEvent } from '../render/manifests.ts';

/** Where a release stands. */
export type ReleaseStatus =
  | 'unknown'
  | 'deployed'
  | 'uninstalled'
  | 'superseded'
  | 'failed'
  | 'uninstalling'
  | 'pending-install'
  | 'pending-upgrade'
  | 'pending-rollback';

/** How a release's objects are written: by their owner's patch, or by the server's own merge. */
export type ApplyMethod = 'csa' | 'ssa';

/** One revision of a release, in the very form in which Helm stores it. */
export interface StoredRelease {
  name: string;
  info: ReleaseInfo;
  chart: StoredChart;
  /** The values that the user gave; absent when there were none. */
  config?: Record<string, unknown>;
  /** All objects but hooks, as one text. */
  manifest: string;
  hooks?: StoredHook[];
  version: number;
  namespace: string;
  /** Helm 3 has none: it knows one method only. */
  apply_method?: ApplyMethod;
}

/** The times are Go's: empty or absent when there was none. */
export interface ReleaseInfo {
  first_deployed?: string;
  last_deployed?: string;
  deleted?: string;
  description?: string;
  status: ReleaseStatus;
  /** The revision that a rollback went back to. */
  rollback_revision?: number;
  notes?: string;
}

/** A chart without its subcharts: one cannot be rendered again from here. */
export interface StoredChart {
  metadata: ChartMetadata;
  lock: ChartLock | null;
  templates: StoredFile[] | null;
  values: Record<string, unknown> | null;
  schema: string | null;
  schemamodtime?: string;
  files: StoredFile[] | null;
  modtime?: string;
}

/** A file of a chart; its data is in base64. */
export interface StoredFile {
  name: string;
  data: string;
  modtime?: string;
}

/** A hook, and how its last run went. */
export interface StoredHook {
  name: string;
  kind: string;
  path: string;
  manifest: string;
  events: HookEvent[];
  last_run: { started_at?: string; completed_at?: string; phase: string };
  weight?: number;
  delete_policies?: string[];
  output_log_policies?: string[];
}

/** An archive of strangers may not unpack to more: etcd takes a megabyte, packed. */
const maxReleaseBytes = 64 * 1024 * 1024;

/**
 * What a Secret holds under `release`: JSON, packed, in base64.
 *
 * ```ts
 * declare const release: StoredRelease;
 * const secret = { data: { release: Buffer.from(encodeRelease(release)).toString('base64') } };
 * ```
 */
export function encodeRelease(release: StoredRelease): string {
  return gzipSync(JSON.stringify(release), { level: 9 }).toString('base64');
}

/**
 * Reads what a Secret holds; the oldest are not packed.
 *
 * ```ts
 * declare const release: StoredRelease;
 * decodeRelease(encodeRelease(release)).name === release.name; // true
 * ```
 *
 * @throws HelmError `WG_HELM_RELEASE`
 */
export function decodeRelease(text: string): StoredRelease {
  try {
    const bytes = Buffer.from(text, 'base64');
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
    const json = isPacked ? gunzipSync(bytes, { maxOutputLength: maxReleaseBytes }) : bytes;
    const release = JSON.parse(json.toString('utf8')) as StoredRelease;
    if (typeof release.name !== 'string' || typeof release.version !== 'number') {
      throw new Error('it has no name or no version');
    }
    release.info ??= { status: 'unknown' };
    release.manifest ??= '';
    return release;
  } catch (cause) {
    const message = `the stored release cannot be read: ${(cause as Error).message}`;
    throw new HelmError('WG_HELM_RELEASE', message, { cause });
  }
}

/** A time as Go writes it: without zeros at the end. */
export function goTime(time: Date): string {
  return time.toISOString().replace(/\.?0+Z$/, 'Z');
}

/**
 * Whether an action is under way, or was cut off.
 *
 * ```ts
 * declare const release: StoredRelease;
 * if (isPending(release)) console.log('another action is under way');
 * ```
 */
export function isPending({ info }: StoredRelease): boolean {
  return info.status.startsWith('pending-');
}
