import { translate, unservedLine, unservedRoutes, withManifestDefaults } from '@waygate/ingress';
import type { KubeObject } from '@waygate/schema';
import { problemLine } from '../problem-line.ts';
import type { Finding } from './finding.ts';

const area = 'manifests';

/** Can these objects be turned into Kong's configuration, each of them. */
export function checkManifests(
  objects: readonly KubeObject[],
  options: { readonly ingressClass: string; readonly namespace: string },
): Finding[] {
  const { ingressClass, namespace } = options;
  const whole = objects.map((object) => withManifestDefaults(object, namespace));
  const { problems } = translate(whole, { ingressClass });
  const unserved = unservedRoutes(whole, { ingressClass, isWhole: false }).map(
    (route): Finding => ({ area, state: 'warning', message: unservedLine(route) }),
  );
  if (problems.length === 0 && unserved.length === 0)
    return [{ area, state: 'ok', message: `${objects.length} objects, no problem` }];
  const failed = problems.map(
    (problem): Finding => ({ area, state: 'failed', message: problemLine(problem) }),
  );
  return [...failed, ...unserved];
}
