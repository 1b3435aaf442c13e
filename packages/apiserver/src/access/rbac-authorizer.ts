import type { Store } from '../storage/store.ts';
import type { AccessAttributes, Authorizer, Decision } from './authorizer.ts';
import { type PolicyRule, type RoleRef, ruleAllows, type Subject } from './rbac-rules.ts';
import type { UserInfo } from './user.ts';

const group = 'rbac.authorization.k8s.io';

interface Binding {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

/** A rule that a user has, and the sentence that says by what. */
interface GrantedRule {
  readonly rule: PolicyRule;
  readonly source: () => string;
}

/** Rights from the Roles and bindings in the store. Members of system:masters may do all. */
export class RbacAuthorizer implements Authorizer {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  authorize(attributes: AccessAttributes): Decision {
    if (attributes.user.groups.includes('system:masters')) return { isAllowed: true, reason: '' };
    const missing: RoleRef[] = [];
    for (const granted of this.rulesOf(attributes.user, attributes.namespace, missing)) {
      if (ruleAllows(granted.rule, attributes)) {
        return { isAllowed: true, reason: granted.source() };
      }
    }
    return {
      isAllowed: false,
      reason: missing.length === 0 ? '' : `RBAC: ${missingText(missing)}`,
    };
  }

  /**
   * All rules that hold for a user in a namespace; the empty one is the cluster. Roles that bindings
   * of the user name and that are not there are added to `missing`.
   */
  *rulesOf(user: UserInfo, namespace: string, missing: RoleRef[] = []): Generator<GrantedRule> {
    yield* this.#rulesOfBindings('clusterrolebindings', '', user, missing);
    if (namespace !== '') yield* this.#rulesOfBindings('rolebindings', namespace, user, missing);
  }

  /** The rules that a reference leads to; undefined when it leads nowhere. */
  rulesOfRole(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const entry =
      ref.kind === 'Role'
        ? this.#store.get(`${group}/roles`, `${namespace}/${ref.name}`)
        : this.#store.get(`${group}/clusterroles`, ref.name);
    if (entry === undefined) return undefined;
    return (entry.object.rules as PolicyRule[] | null | undefined) ?? [];
  }

  *#rulesOfBindings(
    plural: string,
    namespace: string,
    user: UserInfo,
    missing: RoleRef[],
  ): Generator<GrantedRule> {
    for (const entry of this.#store.collection(`${group}/${plural}`).entries(namespace)) {
      const binding = entry.object as unknown as Binding;
      const subject = (binding.subjects ?? []).find((each) => isSubject(each, user, namespace));
      if (subject === undefined) continue;
      const source = () => sourceText(binding, subject, namespace);
      const rules = this.rulesOfRole(binding.roleRef, namespace);
      if (rules === undefined) missing.push(binding.roleRef);
      for (const rule of rules ?? []) yield { rule, source };
    }
  }
}

/** Roles that are not there, as the API complains of them: by their kind, or by that of the request. */
export function missingText(refs: readonly RoleRef[], plural?: string): string {
  const texts = refs.map(
    (ref) => `${plural ?? ref.kind.toLowerCase()}.${group} "${ref.name}" not found`,
  );
  const told = [...new Set(texts)];
  return told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]`;
}

function isSubject(subject: Subject, user: UserInfo, namespace: string): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.name === user.username;
    case 'Group':
      return user.groups.includes(subject.name);
    case 'ServiceAccount': {
      const of = (subject.namespace ?? '') === '' ? namespace : subject.namespace;
      return of !== '' && user.username === `system:serviceaccount:${of}:${subject.name}`;
    }
    default:
      return false;
  }
}

function sourceText(binding: Binding, subject: Subject, namespace: string): string {
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const name = binding.metadata.name ?? '';
  const place = namespace === '' ? name : `${name}/${namespace}`;
  const who =
    subject.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace ?? namespace}`
      : subject.name;
  return `RBAC: allowed by ${kind} "${place}" of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${subject.kind} "${who}"`;
}
