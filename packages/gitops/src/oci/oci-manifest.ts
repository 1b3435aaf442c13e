import { isObject } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import type { FetchedManifest } from './registry-client.ts';

/** What a manifest says of one blob or of another manifest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly platform: string | undefined;
}

export type OciManifest =
  | {
      readonly kind: 'image';
      readonly layers: readonly Descriptor[];
      readonly annotations: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'index'; readonly manifests: readonly Descriptor[] };

/**
 * Reads a manifest or an index.
 *
 * ```ts
 * const mediaType = 'application/vnd.oci.image.manifest.v1+json';
 * const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: 'sha256:1', size: 12 };
 * const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, layers: [layer] }));
 * parseManifest({ bytes, mediaType, digest: 'sha256:2' }).kind; // 'image'
 * ```
 */
export function parseManifest({ bytes, mediaType }: FetchedManifest): OciManifest {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    // Said below.
  }
  if (!isObject(value)) throw refused('it is not JSON');
  const type = typeof value.mediaType === 'string' ? value.mediaType : mediaType;
  const isIndex = /(image\.index\.v1|manifest\.list\.v2)\+json$/.test(type);
  if (isIndex || (!Array.isArray(value.layers) && Array.isArray(value.manifests))) {
    return { kind: 'index', manifests: descriptors(value.manifests) };
  }
  if (value.schemaVersion !== 2) throw refused('only schema version 2 is supported');
  return {
    kind: 'image',
    layers: descriptors(value.layers),
    annotations: textsOf(value.annotations),
  };
}

/** Of an index, what is for the platform that sources are for. */
export function childOf(index: OciManifest & { kind: 'index' }, shown: string): string {
  const child = index.manifests.find(
    ({ platform }) => platform === undefined || platform === 'linux/amd64',
  );
  if (child !== undefined) return child.digest;
  throw new GitOpsError('WG_GITOPS_HTTP', `no child with platform linux/amd64 in index ${shown}`);
}

function descriptors(value: unknown): Descriptor[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > 10_000) throw refused('its layers are no list');
  return value.map((one) => {
    if (!isObject(one) || typeof one.digest !== 'string') throw refused('a layer has no digest');
    const { platform } = one;
    const isSized = typeof one.size === 'number' && Number.isSafeInteger(one.size) && one.size >= 0;
    return {
      mediaType: typeof one.mediaType === 'string' ? one.mediaType : '',
      digest: one.digest,
      size: isSized ? (one.size as number) : undefined,
      annotations: textsOf(one.annotations),
      platform: isObject(platform) ? `${platform.os}/${platform.architecture}` : undefined,
    };
  });
}

function textsOf(value: unknown): Record<string, string> {
  const texts: Record<string, string> = {};
  if (!isObject(value)) return texts;
  for (const [key, one] of Object.entries(value)) {
    if (typeof one === 'string' && key !== '__proto__') texts[key] = one;
  }
  return texts;
}

function refused(why: string): GitOpsError {
  return new GitOpsError('WG_GITOPS_HTTP', `failed to parse artifact manifest: ${why}`);
}
