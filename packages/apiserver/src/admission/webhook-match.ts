import type { DynamicObject } from '@waygate/schema';
import type { Authorizer } from '../access/authorizer.ts';
import { type Fields, objectAt } from '../builtins/fields.ts';
import { CelAccess, CelAuthorizer } from '../cel/authorizer-library.ts';
import type { AdmissionAttributes } from '../core/admission.ts';
import type { Core } from '../core/core.ts';
import { matcherOfObject } from '../selectors/label-selector.ts';

/** Whether rules, selectors and conditions of a webhook or policy take in a request. */
export function matchesRequest(
  core: Core,
  hook: Fields,
  rules: readonly Fields[],
  attributes: AdmissionAttributes,
): boolean {
  if (!rules.some((rule) => matchesRule(rule, attributes))) return false;
  if (!matchesNamespace(core, objectAt(hook, 'namespaceSelector'), attributes)) return false;
  return matchesObject(objectAt(hook, 'objectSelector'), attributes);
}

export function matchesRule(rule: Fields, attributes: AdmissionAttributes): boolean {
  const { resource, operation, subresource } = attributes;
  const has = (field: string, value: string) => {
    const values = (rule[field] ?? []) as string[];
    return values.includes('*') || values.includes(value);
  };
  const scope = rule.scope ?? '*';
  const isInScope = scope === '*' || (scope === 'Namespaced') === resource.isNamespaced;
  if (
    !isInScope ||
    !has('operations', operation) ||
    !has('apiGroups', resource.group) ||
    !has('apiVersions', resource.version)
  )
    return false;
  const resources = (rule.resources ?? []) as string[];
  return resources.some((each) => {
    if (each === '*/*') return true;
    const [plural = '', sub = ''] = each.split('/');
    const isPlural = plural === '*' || plural === resource.plural;
    return isPlural && (sub === '*' ? true : sub === subresource);
  });
}

function matchesNamespace(core: Core, selector: Fields, attributes: AdmissionAttributes): boolean {
  const matcher = matcherOfObject(selector);
  if (matcher.empty) return true;
  const isNamespace =
    attributes.resource.group === '' && attributes.resource.plural === 'namespaces';
  if (isNamespace)
    return matcher.matches((attributes.object ?? attributes.oldObject)?.metadata.labels);
  if (attributes.namespace === '') return true;
  return matcher.matches(
    core.store.get('namespaces', attributes.namespace)?.object.metadata.labels,
  );
}

function matchesObject(selector: Fields, attributes: AdmissionAttributes): boolean {
  const matcher = matcherOfObject(selector);
  if (matcher.empty) return true;
  const matches = (object: Readonly<DynamicObject> | undefined) =>
    object !== undefined && matcher.matches(object.metadata.labels);
  return matches(attributes.object) || matches(attributes.oldObject);
}

/** The variables of an admission expression. */
export function celContext(
  core: Core,
  attributes: AdmissionAttributes,
  authorizer?: Authorizer,
): Record<string, unknown> {
  const { resource, user } = attributes;
  return {
    object: attributes.object ?? null,
    oldObject: attributes.oldObject ?? null,
    request: {
      kind: { group: resource.group, version: resource.version, kind: resource.kind },
      resource: { group: resource.group, version: resource.version, resource: resource.plural },
      subResource: attributes.subresource,
      name: attributes.name,
      namespace: attributes.namespace,
      operation: attributes.operation,
      userInfo: { username: user.username, uid: user.uid, groups: user.groups, extra: user.extra },
      dryRun: attributes.isDryRun,
      options: attributes.options,
    },
    ...(authorizer === undefined ? {} : authorizerVariables(authorizer, attributes)),
    namespaceObject:
      attributes.namespace === ''
        ? null
        : (core.store.get('namespaces', attributes.namespace)?.object ?? null),
  };
}

/** `authorizer`, and the check of the very resource of the request. */
function authorizerVariables(authorizer: Authorizer, attributes: AdmissionAttributes) {
  const { resource, subresource, namespace, name } = attributes;
  const place = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  const by = new CelAuthorizer(authorizer, attributes.user);
  return {
    authorizer: by,
    'authorizer.requestResource': new CelAccess('ResourceCheck', by, place),
  };
}
