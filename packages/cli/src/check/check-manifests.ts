import { translate, withManifestDefaults } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { problemLine } from '../problem-line.ts';
import type { Finding } from './finding.ts';

const area = 'manifests';

/** Can these objects be turned into Kong's configuration, each of them. */
export function checkManifests(
  objects: readonly KubeObject[],
  options: { readonly ingressClass: string; readonly namespace: string },
): Finding[] {
  const { problems } = translate(
    objects.map((object) => withManifestDefaults(object, options.namespace)),
    { ingressClass: options.ingressClass },
  );
  if (problems.length === 0)
    return [{ area, state: 'ok', message: `${objects.length} objects, no problem` }];
  return problems.map((problem) => ({ area, state: 'failed', message: problemLine(problem) }));
}
