import type { DynamicObject } from '@waygate/schema';
import { breakdown, covers, type PolicyRule } from '../access/rbac-rules.ts';
import {
  type DefaultBinding,
  type DefaultRole,
  defaultClusterRoleBindings,
  defaultClusterRoles,
  defaultRoleBindings,
  defaultRoles,
} from './generated/default-roles.ts';

const group = 'rbac.authorization.k8s.io';
const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate';

function metadataOf({
  name,
  namespace,
  labels,
}: DefaultRole | (DefaultBinding & { labels?: never })) {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoupdate]: 'true' },
  };
}

function role(kind: string, { rules, aggregates, ...rest }: DefaultRole): DynamicObject {
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: metadataOf(rest),
    ...(aggregates === undefined
      ? { rules: structuredClone(rules) }
      : {
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates]: 'true' } }] },
          rules: null,
        }),
  };
}

function binding(kind: string, each: DefaultBinding): DynamicObject {
  const apiGroup = (subject: { kind: string }) =>
    subject.kind === 'ServiceAccount' ? {} : { apiGroup: group };
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: metadataOf(each),
    roleRef: { apiGroup: group, kind: kind.replace('Binding', ''), name: each.role },
    ...(each.subjects.length === 0
      ? {}
      : { subjects: each.subjects.map((subject) => ({ ...apiGroup(subject), ...subject })) }),
  };
}

/** The roles and bindings that every cluster has, made anew for whoever keeps them. */
export function bootstrapRoles(): DynamicObject[] {
  return [
    ...defaultClusterRoles.map((each) => role('ClusterRole', each)),
    ...defaultRoles.map((each) => role('Role', each)),
    ...defaultClusterRoleBindings.map((each) => binding('ClusterRoleBinding', each)),
    ...defaultRoleBindings.map((each) => binding('RoleBinding', each)),
  ];
}

/** The books on a default role or binding: it is the server's, whole. */
export function managedByServer(object: DynamicObject, time: string): unknown[] {
  const keys = (values: object | undefined) =>
    Object.fromEntries(
      ['.', ...Object.keys(values ?? {}).map((key) => `f:${key}`)].map((key) => [key, {}]),
    );
  const { annotations, labels } = object.metadata;
  const list = (field: string) =>
    Array.isArray(object[field]) && (object[field] as unknown[]).length > 0
      ? { [`f:${field}`]: {} }
      : {};
  return [
    {
      manager: 'kube-apiserver',
      operation: 'Update',
      apiVersion: object.apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        ...(object.aggregationRule === undefined
          ? {}
          : { 'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} } }),
        'f:metadata': { 'f:annotations': keys(annotations), 'f:labels': keys(labels) },
        ...(object.roleRef === undefined ? {} : { 'f:roleRef': {} }),
        ...list('rules'),
        ...list('subjects'),
      },
    },
  ];
}

/**
 * The rules of a default role with what an older server, or somebody's hand, left out; undefined when
 * nothing is missing, or when the role's owner asked to be left alone. What was added stays.
 */
export function completedRules(
  wanted: DynamicObject,
  found: Readonly<DynamicObject>,
): PolicyRule[] | undefined {
  if (wanted.aggregationRule !== undefined || found.rules === undefined) return undefined;
  if (found.metadata.annotations?.[autoupdate] !== 'true') return undefined;
  const held = (found.rules ?? []) as PolicyRule[];
  const missing = ((wanted.rules ?? []) as PolicyRule[]).filter(
    (rule) => !breakdown(rule).every((right) => held.some((each) => covers(each, right))),
  );
  return missing.length === 0 ? undefined : [...held, ...missing];
}
