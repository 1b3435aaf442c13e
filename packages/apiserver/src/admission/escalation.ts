import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import { missingText, type RbacAuthorizer } from '../access/rbac-authorizer.ts';
import {
  breakdown,
  compactText,
  covers,
  type PolicyRule,
  type RoleRef,
} from '../access/rbac-rules.ts';
import type { Admission, AdmissionAttributes } from '../core/admission.ts';

import { type ApiError, forbiddenError, notFound } from '../status/api-error.ts';

const group = 'rbac.authorization.k8s.io';

/** What one has to hold to gather roles that others will write. */
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Nobody gives more rights than they have, unless they may `escalate` or `bind`. */
export class EscalationCheck implements Admission {
  readonly #authorizer: RbacAuthorizer;

  constructor(authorizer: RbacAuthorizer) {
    this.#authorizer = authorizer;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, object, oldObject, user, operation } = attributes;
    if (resource.group !== group || object === undefined) return;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return;
    if (user.groups.includes('system:masters')) return;
    const isRole = resource.plural === 'roles' || resource.plural === 'clusterroles';
    if (isRole && this.#mayEscalate(attributes)) return;
    // Garbage collection has to get on with what it could not write itself.
    if (oldObject !== undefined && isOnlyForCollector(object, oldObject)) return;
    if (isRole) this.#checkRole(attributes, object, oldObject);
    else this.#checkBinding(attributes, object);
  }

  async validate(): Promise<void> {}

  #checkRole(
    attributes: AdmissionAttributes,
    role: DynamicObject,
    old: Readonly<DynamicObject> | undefined,
  ): void {
    const refused = this.#missing(attributes, (role.rules ?? []) as PolicyRule[]);
    if (refused !== undefined) throw this.#refusal(attributes, refused);
    // An aggregation can gather anything, and undoes what somebody tightens.
    if (!isAggregated(role) && !isAggregated(old)) return;
    if (this.#missing(attributes, fullAuthority) === undefined) return;
    const why = 'must have cluster-admin privileges to use the aggregationRule';
    throw this.#refusal(attributes, why);
  }

  #checkBinding(attributes: AdmissionAttributes, binding: DynamicObject): void {
    const ref = binding.roleRef as RoleRef | undefined;
    // Validation will say what is wrong with a reference that is none.
    if (ref?.kind !== 'Role' && ref?.kind !== 'ClusterRole') return;
    const { user, namespace } = attributes;
    const plural = ref.kind === 'Role' ? 'roles' : 'clusterroles';
    const mayBind = this.#authorizer.authorize({
      ...place(ref.apiGroup ?? '', plural, namespace, ref.name ?? ''),
      user,
      verb: 'bind',
    });
    if (mayBind.isAllowed) return;
    const rules = this.#authorizer.rulesOfRole(ref, namespace);
    // The API names the kind of the binding here, and the name of the role.
    const asked = { group, resource: attributes.resource.plural };
    if (rules === undefined) throw notFound(asked, ref.name ?? '');
    const refused = this.#missing(attributes, rules);
    if (refused !== undefined) throw this.#refusal(attributes, refused);
  }

  #mayEscalate({ user, resource, namespace, pathName }: AdmissionAttributes): boolean {
    const asked = place(group, resource.plural, namespace, pathName ?? '');
    return this.#authorizer.authorize({ ...asked, user, verb: 'escalate' }).isAllowed;
  }

  /** What the user would give without having it, in the API's words; undefined when nothing. */
  #missing(
    { user, namespace, resource }: AdmissionAttributes,
    wanted: readonly PolicyRule[],
  ): string | undefined {
    const unresolved: RoleRef[] = [];
    const held = [...this.#authorizer.rulesOf(user, namespace, unresolved)].map(({ rule }) => rule);
    const missing = wanted
      .flatMap(breakdown)
      .filter((right) => !held.some((rule) => covers(rule, right)));
    if (missing.length === 0) return undefined;
    const groups = `[${user.groups.map((each) => JSON.stringify(each)).join(' ')}]`;
    const text = `user ${JSON.stringify(user.username)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${compactText(missing)}`;
    if (unresolved.length === 0) return text;
    return `${text}; resolution errors: [${missingText(unresolved, resource.plural)}]`;
  }

  #refusal({ resource, object }: AdmissionAttributes, why: string): ApiError {
    const place = { group, resource: resource.plural };
    return forbiddenError(place, object?.metadata.name ?? '', why);
  }
}

function isAggregated(role: Readonly<DynamicObject> | undefined): boolean {
  const rule = role?.aggregationRule as { clusterRoleSelectors?: unknown[] } | undefined;
  return (rule?.clusterRoleSelectors ?? []).length > 0;
}

function isOnlyForCollector(next: DynamicObject, old: Readonly<DynamicObject>): boolean {
  const rest = ({ metadata, ...body }: Readonly<DynamicObject>) => {
    const {
      ownerReferences: _o,
      finalizers: _f,
      selfLink: _s,
      managedFields: _m,
      ...kept
    } = metadata;
    const lists = { rules: body.rules ?? [], subjects: body.subjects ?? [] };
    return { ...body, ...lists, metadata: { ...kept, resourceVersion: '' } };
  };
  return equalJson(rest(next), rest(old));
}

function place(group: string, resource: string, namespace: string, name: string) {
  const shared = { isResource: true, path: '', version: '*', subresource: '' };
  return { ...shared, group, resource, namespace, name };
}
