import { translate, withManifestDefaults } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { problemLine } from '../problem-line.ts';
import type { Finding } from './finding.ts';
import { unservedLine, unservedRoutes } from './unserved-routes.ts';

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
  const unserved = unservedRoutes(objects, { ...options, hasAllGateways: false }).map(
    (route): Finding => ({ area, state: 'warning', message: unservedLine(route) }),
  );
  if (problems.length === 0 && unserved.length === 0)
    return [{ area, state: 'ok', message: `${objects.length} objects, no problem` }];
  const failed = problems.map(
    (problem): Finding => ({ area, state: 'failed', message: problemLine(problem) }),
  );
  return [...failed, ...unserved];
}
