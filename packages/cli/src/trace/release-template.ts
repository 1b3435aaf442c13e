import type { HelmRelease } from '@waygate/gitops';
import { decodeRelease } from '@waygate/helm';
import { isForbidden, isNotFound, type KubeClient } from '@waygate/kube';
import { type DynamicObject, kinds } from '@waygate/schema';
import { isObject, parseYaml } from '@waygate/text';

/**
 * The template of a chart that an object came from, as the stored release tells it. Undefined where that
 * is gone, is not the reader's to read, or says nothing: a post-renderer may have taken it away.
 */
export async function templateOf(
  client: KubeClient,
  { status, metadata }: HelmRelease,
  object: DynamicObject,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [last] = status?.history ?? [];
  if (last === undefined) return undefined;
  const namespace = status?.storageNamespace ?? metadata.namespace;
  const name = `sh.helm.release.v1.${last.name}.v${last.version}`;
  try {
    const { data } = await client.resource(kinds.Secret).get(name, { namespace }, { signal });
    const text = Buffer.from(data?.release ?? '', 'base64').toString('latin1');
    const { manifest, hooks } = decodeRelease(text);
    const printed = (hooks ?? []).map((hook) => `# Source: ${hook.path}\n${hook.manifest}`);
    return templateIn([manifest, ...printed].join('\n---\n'), object, last.namespace);
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** The template that a manifest names above an object; one without a namespace is in the release's. */
export function templateIn(
  manifest: string,
  { kind, metadata }: DynamicObject,
  releaseNamespace: string,
): string | undefined {
  for (const document of manifest.split(/^---\s*$/m)) {
    const source = /^# Source: (\S.*)$/m.exec(document)?.[1];
    if (source === undefined || !document.includes(metadata.name ?? '')) continue;
    const parsed = parseYaml(document);
    if (!isObject(parsed) || parsed.kind !== kind || !isObject(parsed.metadata)) continue;
    const { name, namespace } = parsed.metadata;
    const isThere =
      metadata.namespace === undefined || (namespace ?? releaseNamespace) === metadata.namespace;
    if (name === metadata.name && isThere) return source;
  }
  return undefined;
}
