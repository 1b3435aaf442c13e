import type { Admission, AdmissionAttributes } from '../admission/admission.ts';
import { forbiddenError } from '../status/api-error.ts';
import type { Authorizer } from './authorizer.ts';
import type { RbacAuthorizer } from './rbac-authorizer.ts';
import { breakdown, compactText, covers, type PolicyRule, type RoleRef } from './rbac-rules.ts';
import type { UserInfo } from './user.ts';

const group = 'rbac.authorization.k8s.io';

/** Nobody gives more rights than they have, unless they may `escalate` or `bind`. */
export class EscalationCheck implements Admission {
  readonly #authorizer: RbacAuthorizer;

  constructor(authorizer: RbacAuthorizer) {
    this.#authorizer = authorizer;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, object, user, namespace, operation } = attributes;
    if (resource.group !== group || object === undefined) return;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    if (user.groups.includes('system:masters')) return;
    const isRole = resource.plural === 'roles' || resource.plural === 'clusterroles';
    const ref = object.roleRef as RoleRef | undefined;
    const verb = isRole ? 'escalate' : 'bind';
    const target = isRole ? resource.plural : ref?.kind === 'Role' ? 'roles' : 'clusterroles';
    const name = isRole ? (object.metadata.name ?? '') : (ref?.name ?? '');
    if (this.#may(this.#authorizer, user, verb, target, namespace, name)) return;
    const wanted = isRole
      ? ((object.rules ?? []) as PolicyRule[])
      : ref === undefined
        ? []
        : this.#authorizer.rulesOfRole(ref, namespace);
    const held = [...this.#authorizer.rulesOf(user, namespace)].map((granted) => granted.rule);
    const missing = wanted
      .flatMap(breakdown)
      .filter((right) => !held.some((rule) => covers(rule, right)));
    if (missing.length === 0) return;
    const groups = `[${user.groups.map((each) => JSON.stringify(each)).join(' ')}]`;
    throw forbiddenError(
      { group, resource: resource.plural },
      object.metadata.name ?? '',
      `user ${JSON.stringify(user.username)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${compactText(missing)}`,
    );
  }

  async validate(): Promise<void> {}

  #may(
    authorizer: Authorizer,
    user: UserInfo,
    verb: string,
    resource: string,
    namespace: string,
    name: string,
  ): boolean {
    return authorizer.authorize({
      user,
      verb,
      isResource: true,
      path: '',
      group,
      version: 'v1',
      resource,
      subresource: '',
      namespace,
      name,
    }).isAllowed;
  }
}
