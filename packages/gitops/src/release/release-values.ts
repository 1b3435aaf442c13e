import { createHash } from 'node:crypto';
import {
  EmptyItems,
  type GoMap,
  goValueFromJson,
  mergeMaps,
  printValues,
  readValuesFile,
  setValues,
} from '@waygate/helm';
import { isNotFound, type KubeClient } from '@waygate/kube';
import { kinds } from '@waygate/schema';
import type { HelmRelease, ValuesReference } from '../api/helm-objects.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';

/**
 * The values of a release: those of its references in their order, then its own. As with Flux, a value at a
 * path lands in the inline values where those have that map, and inline values win otherwise.
 *
 * @throws GitOpsError `WG_GITOPS_CONFIG`, without what a Secret says
 */
export async function composeValues(
  { spec, metadata }: HelmRelease,
  client: KubeClient,
  signal: AbortSignal,
): Promise<GoMap> {
  const inline = goValueFromJson(JSON.stringify(spec.values ?? {})) as GoMap;
  const emptyItems = new EmptyItems();
  let values = goValueFromJson('{}') as GoMap;
  for (const reference of spec.valuesFrom ?? []) {
    const { namespace = '' } = metadata;
    const text = await readReference(reference, namespace, client, signal);
    if (text === undefined) continue;
    const { kind, name, valuesKey = 'values.yaml', targetPath = '' } = reference;
    try {
      if (targetPath === '') {
        values = mergeMaps(values, readValuesFile(text, 4));
        continue;
      }
      values = mergeMaps(values, inline);
      setAtPath(values, targetPath, text, { isLiteral: reference.literal === true, emptyItems });
    } catch (cause) {
      // The words of a parser would show what it read.
      const why = kind === 'Secret' ? 'it cannot be read as values' : messageOf(cause);
      throw new GitOpsError(
        'WG_GITOPS_CONFIG',
        `unable to merge value from key '${valuesKey}' in ${kind} '${namespace}/${name}'${targetPath === '' ? '' : ` into target path '${targetPath}'`}: ${why}`,
      );
    }
  }
  return mergeMaps(values, inline);
}

/**
 * The values that a release's chart gets, as YAML; what Secrets hold is in the clear.
 *
 * ```ts
 * const release = await client.resource(helmReleaseKind).get('shop', { namespace: 'web' });
 * process.stdout.write(await releaseValuesText(release, client, signal));
 * ```
 */
export async function releaseValuesText(
  release: HelmRelease,
  client: KubeClient,
  signal: AbortSignal,
): Promise<string> {
  return printValues(await composeValues(release, client, signal));
}

function setAtPath(
  values: GoMap,
  path: string,
  text: string,
  { isLiteral, emptyItems }: { isLiteral: boolean; emptyItems: EmptyItems },
): void {
  if (isLiteral) {
    setValues(values, `${path}=${text}`, { kind: 'literal', emptyItems });
    return;
  }
  const quoted = /^(['"])([\s\S]*)\1$/.exec(text);
  if (quoted === null) setValues(values, `${path}=${text}`, { emptyItems });
  else setValues(values, `${path}=${quoted[2]}`, { kind: 'string', emptyItems });
}

async function readReference(
  { kind, name, valuesKey = 'values.yaml', optional }: ValuesReference,
  namespace: string,
  client: KubeClient,
  signal: AbortSignal,
): Promise<string | undefined> {
  const failed = (why: string) =>
    new GitOpsError(
      'WG_GITOPS_CONFIG',
      `could not resolve ${kind} chart values reference '${namespace}/${name}' with key '${valuesKey}': ${why}`,
    );
  try {
    if (kind === 'ConfigMap') {
      const found = await client.resource(kinds.ConfigMap).get(name, { namespace }, { signal });
      const text = found.data?.[valuesKey];
      if (text !== undefined) return text;
    } else if (kind === 'Secret') {
      const found = await client.resource(kinds.Secret).get(name, { namespace }, { signal });
      const text = found.data?.[valuesKey];
      if (text !== undefined) return Buffer.from(text, 'base64').toString('utf8');
    } else throw failed(`unsupported ValuesReference kind '${String(kind)}'`);
  } catch (error) {
    signal.throwIfAborted();
    if (!isNotFound(error)) throw error;
    if (optional === true) return undefined;
    throw failed(messageOf(error));
  }
  if (optional === true) return undefined;
  throw failed(`missing key '${valuesKey}' in ${kind} '${namespace}/${name}'`);
}

/** What tells values apart: the digest of what Helm would print of them. */
export function digestOfValues(values: GoMap): string {
  const text = values.size === 0 ? '' : printValues(values);
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
