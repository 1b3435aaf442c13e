import type { NginxSettings } from '../settings.ts';

/** A Secret or ConfigMap that an annotation names. */
interface Resource {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `name` or `namespace/name`. Those of other namespaces are only taken if the operator allows it. */
export function resourceOf(
  text: string,
  namespace: string,
  settings: NginxSettings,
): Resource | undefined {
  const [first = '', second] = text.split('/');
  const found =
    second === undefined ? { namespace, name: first } : { namespace: first, name: second };
  const isOwn = found.namespace === namespace;
  return isOwn || settings.bool('allow-cross-namespace-resources') ? found : undefined;
}
