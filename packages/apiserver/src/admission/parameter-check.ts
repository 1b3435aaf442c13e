import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { UserInfo } from '../access/user.ts';
import { objectAt, textAt } from '../builtins/fields.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';

import { invalidObject } from '../status/api-error.ts';
import { forbidden } from '../status/field-problem.ts';

const group = 'admissionregistration.k8s.io';

/**
 * A policy reads its parameters with the server's eyes, and what it says of them reaches whoever it
 * judges: so whoever names parameters must be able to read them.
 */
export class ParameterCheck implements Admission {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  async mutate(): Promise<void> {}

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, object, oldObject, user } = attributes;
    if (resource.group !== group || object === undefined || attributes.subresource !== '') return;
    if (user.groups.includes('system:masters')) return;
    const why = /^(validating|mutating)admissionpolicies$/.test(resource.plural)
      ? this.#policyRefusal(user, object, oldObject)
      : /^(validating|mutating)admissionpolicybindings$/.test(resource.plural)
        ? this.#bindingRefusal(user, resource.plural, object, oldObject)
        : undefined;
    if (why === undefined) return;
    const field = resource.plural.endsWith('policies') ? 'spec.paramKind' : 'spec.paramRef';
    throw invalidObject({ group, kind: resource.kind }, object.metadata.name ?? '', [
      forbidden(field, why),
    ]);
  }

  #policyRefusal(
    user: UserInfo,
    policy: DynamicObject,
    old: Readonly<DynamicObject> | undefined,
  ): string | undefined {
    const { paramKind } = objectAt(policy, 'spec');
    if (paramKind === undefined) return undefined;
    if (old !== undefined && equalJson(objectAt(old, 'spec').paramKind, paramKind))
      return undefined;
    if (this.#may(user, policy, 'get', '*', '*')) return undefined;
    const { kind, apiVersion } = paramKind as { kind?: string; apiVersion?: string };
    return `user ${userText(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind ?? ''}, apiVersion=${apiVersion ?? ''})`;
  }

  #bindingRefusal(
    user: UserInfo,
    plural: string,
    binding: DynamicObject,
    old: Readonly<DynamicObject> | undefined,
  ): string | undefined {
    const spec = objectAt(binding, 'spec');
    if (spec.paramRef === undefined) return undefined;
    const before = old === undefined ? {} : objectAt(old, 'spec');
    const isSame =
      equalJson(before.paramRef, spec.paramRef) && before.policyName === spec.policyName;
    if (isSame) return undefined;
    const ref = objectAt(spec, 'paramRef');
    const name = textAt(ref, 'name');
    const verb = name === '' ? 'list' : 'get';
    const policies = `${group}/${plural.replace('policybindings', 'policies')}`;
    const policyName = textAt(spec, 'policyName');
    const policy = this.#core.store.get(policies, policyName)?.object;
    if (this.#may(user, policy, verb, textAt(ref, 'namespace'), name)) return undefined;
    return policy === undefined
      ? `unable to get policy ${policyName} to determine minimum required permissions and user ${userText(user)} does not have "${verb}" permission for all groups, versions and resources`
      : `user ${userText(user)} does not have "${verb}" permission on the object referenced by paramRef`;
  }

  /** What is not known has to be allowed for everything that it may be. */
  #may(
    user: UserInfo,
    policy: Readonly<DynamicObject> | undefined,
    verb: string,
    namespace: string,
    name: string,
  ): boolean {
    const kind = policy === undefined ? {} : objectAt(objectAt(policy, 'spec'), 'paramKind');
    const [first = '', second, ...more] = textAt(kind, 'apiVersion').split('/');
    const isKnown = first !== '' && more.length === 0;
    const place =
      second === undefined ? { group: '', version: first } : { group: first, version: second };
    const { group, version } = isKnown ? place : { group: '*', version: '*' };
    const resource = isKnown
      ? this.#core.registry.findKind(group, version, textAt(kind, 'kind'))?.plural
      : undefined;
    return this.#core.authorizer.authorize({
      user,
      verb,
      isResource: true,
      path: '',
      group,
      version,
      resource: resource ?? '*',
      subresource: '',
      namespace,
      name,
    }).isAllowed;
  }
}

/** A user as Go prints one. */
function userText(user: UserInfo): string {
  const extra = Object.entries(user.extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${user.username} ${user.uid} [${user.groups.join(' ')}] map[${extra.sort().join(' ')}]}`;
}
