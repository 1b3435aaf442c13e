import type { DynamicObject } from '@waygate/schema';
import { type Fields, listAt, objectAt, textAt } from '../builtins/fields.ts';
import type { AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';
import { ApiError } from '../status/api-error.ts';
import { matchesRequest, matchesRule } from './webhook-match.ts';

/**
 * The group of policies and webhooks. They do not judge their own kinds, so that a wrong one can
 * always be taken away.
 */
const policyGroup = 'admissionregistration.k8s.io';

/** A policy that takes in a request, by one of its bindings. */
export interface BoundPolicy {
  readonly policy: Readonly<DynamicObject>;
  readonly binding: Readonly<DynamicObject>;
  /** Each is one evaluation; null when the policy takes no parameters. */
  readonly params: readonly (Readonly<DynamicObject> | null)[];
}

/** The bindings of one kind of policies that a request concerns. */
export function boundPolicies(
  core: Core,
  kind: 'validating' | 'mutating',
  attributes: AdmissionAttributes,
): BoundPolicy[] {
  if (attributes.resource.group === policyGroup) return [];
  const bindings = core.store.collection(`${policyGroup}/${kind}admissionpolicybindings`);
  return bindings.entries().flatMap(({ object: binding }) => {
    const bindingSpec = objectAt(binding, 'spec');
    const policy = core.store.get(
      `${policyGroup}/${kind}admissionpolicies`,
      textAt(bindingSpec, 'policyName'),
    )?.object;
    if (policy === undefined) return [];
    const spec = objectAt(policy, 'spec');
    if (!isTaken(core, objectAt(spec, 'matchConstraints'), attributes)) return [];
    const narrowed = objectAt(bindingSpec, 'matchResources');
    if (Object.keys(narrowed).length > 0 && !isTaken(core, narrowed, attributes)) return [];
    return [{ policy, binding, params: paramsOf(core, spec, bindingSpec, attributes) }];
  });
}

function isTaken(core: Core, match: Fields, attributes: AdmissionAttributes): boolean {
  if (listAt(match, 'excludeResourceRules').some((rule) => matchesRule(rule, attributes)))
    return false;
  const rules = listAt(match, 'resourceRules');
  const everything = [
    { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] },
  ];
  return matchesRequest(core, match, rules.length === 0 ? everything : rules, attributes);
}

/** The objects that the binding names as parameters. */
function paramsOf(
  core: Core,
  spec: Fields,
  binding: Fields,
  attributes: AdmissionAttributes,
): (Readonly<DynamicObject> | null)[] {
  const kind = objectAt(spec, 'paramKind');
  const reference = objectAt(binding, 'paramRef');
  if (textAt(kind, 'kind') === '') return [null];
  const [version = '', paramGroup = ''] = textAt(kind, 'apiVersion').split('/').reverse();
  const resource = core.registry.findKind(paramGroup, version, textAt(kind, 'kind'));
  const namespace = textAt(reference, 'namespace') || attributes.namespace;
  const matcher =
    reference.selector === undefined ? undefined : matcherOfObject(objectAt(reference, 'selector'));
  const found =
    resource === undefined
      ? []
      : core.store
          .collection(resource.collection)
          .entries(resource.isNamespaced ? namespace : '')
          .filter((entry) =>
            matcher === undefined
              ? entry.name === textAt(reference, 'name')
              : matcher.matches(entry.labels),
          )
          .map((entry) => entry.object);
  if (found.length > 0) return found;
  if (reference.parameterNotFoundAction !== 'Deny') return [];
  throw new ApiError(
    403,
    'Forbidden',
    'no params found for policy binding with `Deny` parameterNotFoundAction',
  );
}
