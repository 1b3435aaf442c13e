import type { DynamicObject } from '@waygate/schema';
import { type Fields, listAt } from '../builtins/fields.ts';
import type { JudgedPod, Violation } from './judged-pod.ts';
import { baselineRules, relaxedRules } from './pod-security-baseline.ts';
import { restrictedRules } from './pod-security-restricted.ts';

/** How much a pod may take of its node, from all to next to nothing. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

/** What a pod breaks of a level. */
export function podSecurityViolations(
  pod: { readonly metadata?: DynamicObject['metadata']; readonly spec: Readonly<Fields> },
  level: PodSecurityLevel,
): readonly Violation[] {
  if (level === 'privileged') return [];
  const { spec } = pod;
  const judged: JudgedPod = {
    annotations: pod.metadata?.annotations ?? {},
    spec,
    containers: ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
      listAt(spec, list),
    ),
  };
  const rules =
    level === 'baseline'
      ? baselineRules
      : [...baselineRules.filter((rule) => !relaxedRules.has(rule)), ...restrictedRules];
  return rules.map((rule) => rule(judged)).filter((violation) => violation !== undefined);
}

/** The same in Kubernetes' words; empty when nothing is broken. */
export function violationText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}
