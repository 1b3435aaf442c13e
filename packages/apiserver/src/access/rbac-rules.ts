import type { AccessAttributes } from './authorizer.ts';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** Whether a rule lets a request through. */
export function ruleAllows(rule: PolicyRule, attributes: AccessAttributes): boolean {
  if (!includes(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource) {
    return (rule.nonResourceURLs ?? []).some((url) => matchesUrl(url, attributes.path));
  }
  if (!includes(rule.apiGroups, attributes.group)) return false;
  const names = rule.resourceNames ?? [];
  if (names.length > 0 && !names.includes(attributes.name)) return false;
  const combined =
    attributes.subresource === ''
      ? attributes.resource
      : `${attributes.resource}/${attributes.subresource}`;
  return (rule.resources ?? []).some(
    (each) =>
      each === '*' ||
      each === combined ||
      (attributes.subresource !== '' && each === `*/${attributes.subresource}`),
  );
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

function matchesUrl(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  if (!pattern.endsWith('*')) return false;
  let end = pattern.length;
  while (pattern[end - 1] === '*') end--;
  return path.startsWith(pattern.slice(0, end));
}

/** The smallest rights that a rule is made of: one verb, group, resource and name each. */
export function breakdown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const right = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (names.length === 0) parts.push(right);
        for (const name of names) parts.push({ ...right, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

/** Whether a right is part of what a rule gives. */
export function covers(owner: PolicyRule, right: PolicyRule): boolean {
  const all = (mine: readonly string[] | undefined, theirs: readonly string[] | undefined) =>
    (theirs ?? []).every((each) => includes(mine, each));
  if (!all(owner.verbs, right.verbs)) return false;
  if ((right.nonResourceURLs ?? []).length > 0) {
    return (right.nonResourceURLs ?? []).every((url) =>
      (owner.nonResourceURLs ?? []).some((each) => matchesUrl(each, url)),
    );
  }
  if (!all(owner.apiGroups, right.apiGroups)) return false;
  const resources = (right.resources ?? []).every(
    (each) =>
      includes(owner.resources, each) ||
      (each.includes('/') &&
        (owner.resources ?? []).includes(`*/${each.slice(each.indexOf('/') + 1)}`)),
  );
  if (!resources) return false;
  const mine = owner.resourceNames ?? [];
  const theirs = right.resourceNames ?? [];
  if (mine.length === 0) return true;
  return theirs.length > 0 && theirs.every((each) => mine.includes(each));
}

/** Rights as the API lists what is missing: those of one resource together, those of paths not. */
export function compactText(rights: readonly PolicyRule[]): string {
  const merged = new Map<string, PolicyRule>();
  for (const right of rights) {
    const { verbs, ...rest } = right;
    const isPath = (right.nonResourceURLs ?? []).length > 0;
    const key = JSON.stringify(isPath ? right : rest);
    const same = merged.get(key);
    merged.set(key, { ...rest, verbs: [...(same?.verbs ?? []), ...(isPath && same ? [] : verbs)] });
  }
  const texts = new Set([...merged.values()].map(ruleText));
  return [...texts].sort().join('\n');
}

function ruleText(rule: PolicyRule): string {
  const list = (values: readonly string[]) =>
    `[${values.map((each) => JSON.stringify(each)).join(' ')}]`;
  const parts: string[] = [];
  if ((rule.apiGroups ?? []).length > 0) parts.push(`APIGroups:${list(rule.apiGroups ?? [])}`);
  if ((rule.resources ?? []).length > 0) parts.push(`Resources:${list(rule.resources ?? [])}`);
  if ((rule.nonResourceURLs ?? []).length > 0) {
    parts.push(`NonResourceURLs:${list(rule.nonResourceURLs ?? [])}`);
  }
  if ((rule.resourceNames ?? []).length > 0) {
    parts.push(`ResourceNames:${list(rule.resourceNames ?? [])}`);
  }
  parts.push(`Verbs:${list(rule.verbs)}`);
  return `{${parts.join(', ')}}`;
}
