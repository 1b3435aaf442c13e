import type { DynamicObject } from '@waygate/schema';
import { isObject, parseYaml, printYaml } from '@waygate/text';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { substitute } from './substitute.ts';
import { checkVariableNames } from './variables.ts';

const switchOff = 'kustomize.toolkit.fluxcd.io/substitute';

export interface ResourceSubstitutionOptions {
  readonly isStrict?: boolean | undefined;
  /** Also when there is no variable at all, so that defaults are put in. */
  readonly always?: boolean | undefined;
}

/**
 * Puts variables into a built resource. It is printed as kustomize prints it, filled in, and read
 * again as YAML 1.1, so that a value may turn into a number: that is what Flux does, and what
 * manifests rely on. Undefined when the resource is to be left as it is.
 *
 * ```ts
 * const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: '${count}' } };
 * substituteResource({ object }, new Map([['count', '3']]))?.spec; // { replicas: 3 }
 * ```
 */
export function substituteResource(
  resource: { readonly object: DynamicObject; readonly yaml?: string },
  variables: ReadonlyMap<string, string>,
  options: ResourceSubstitutionOptions = {},
): DynamicObject | undefined {
  if (variables.size === 0 && options.always !== true) return undefined;
  if (!isSubstituted(resource.object)) return undefined;
  checkVariableNames(variables);
  const text = resource.yaml ?? printYaml(resource.object);
  const failed = (message: string, cause: unknown) =>
    new GitOpsError('WG_GITOPS_SUBSTITUTE', message, { cause });
  let filled: string;
  try {
    const flat = new Map([...variables].map(([name, value]) => [name, value.replaceAll('\n', '')]));
    filled = substitute(text, flat, { isStrict: options.isStrict });
  } catch (error) {
    throw failed(`envsubst error: variable substitution failed: ${messageOf(error)}`, error);
  }
  let value: unknown;
  try {
    value = parseYaml(filled, { duplicateKeys: 'last', unknownTags: 'text' });
  } catch (error) {
    throw failed(`YAMLToJSON: ${messageOf(error)}`, error);
  }
  if (!isObject(value) || !isObject(value.metadata)) {
    throw failed('variable substitution left no object', undefined);
  }
  return value as DynamicObject;
}

/** Whether an object takes part: a label or an annotation of its own may say that it does not. */
export function isSubstituted({ metadata }: DynamicObject): boolean {
  const { labels, annotations } = metadata;
  return labels?.[switchOff] !== 'disabled' && annotations?.[switchOff] !== 'disabled';
}
