import { goQuote, isMissingOrNull, newScalar, type YamlNode } from '@waygate/text';
import { appliesTo, type FieldSpec, visitField } from './config/field-spec.ts';
import type { NameReference } from './config/transformer-config.ts';
import { setMapField, setScalarText } from './field-setter.ts';
import { KustomizeError, wrap } from './kustomize-error.ts';
import type { Resource } from './resource.ts';
import { clusterScope, effectiveNamespace, idString, type ResourceId } from './resource-id.ts';
import type { ResourceList } from './resource-list.ts';
import { emitYaml } from './yaml/emit.ts';

/** Gives every field that holds the name of a renamed resource the new name. */
export function fixNameReferences(
  resources: ResourceList,
  references: readonly NameReference[],
): void {
  const index = new ReferralIndex(resources);
  const specsOfKind = new Map<string, readonly Referral[]>();
  for (const resource of resources) {
    const id = resource.originalId;
    const key = `${id.group}|${id.version}|${id.kind}`;
    let specs = specsOfKind.get(key);
    if (specs === undefined) {
      specs = referralsOf(id, references);
      specsOfKind.set(key, specs);
    }
    if (specs.length > 0) new Referrer(resource, index).fix(specs);
  }
}

interface Referral {
  readonly target: NameReference;
  readonly spec: FieldSpec;
}

function referralsOf(id: ResourceId, references: readonly NameReference[]): Referral[] {
  return references.flatMap((target) =>
    target.fieldSpecs
      .filter((spec) => appliesTo(spec, id))
      .map((spec) => ({ target, spec: { path: spec.path } })),
  );
}

/** Facts on a resource that may be referred to, taken once. */
interface Candidate {
  readonly resource: Resource;
  readonly id: ResourceId;
  readonly namespace: string;
  readonly previousIds: readonly ResourceId[];
}

class ReferralIndex {
  /** Candidates by each name that they had before; one that was never renamed is in none. */
  readonly #byPreviousName = new Map<string, Candidate[]>();
  readonly #byOriginalNamespace = new Map<string, Candidate[]>();

  constructor(resources: ResourceList) {
    for (const resource of resources) {
      const { id, previousIds } = resource;
      const candidate = { resource, id, namespace: effectiveNamespace(id), previousIds };
      const original = effectiveNamespace(previousIds[0] ?? id);
      push(this.#byOriginalNamespace, original, candidate);
      for (const name of new Set(previousIds.map((previous) => previous.name))) {
        push(this.#byPreviousName, name, candidate);
      }
    }
  }

  named(name: string): readonly Candidate[] {
    return this.#byPreviousName.get(name) ?? [];
  }

  inOriginalNamespace(namespace: string): readonly Candidate[] {
    return namespace === clusterScope ? [] : (this.#byOriginalNamespace.get(namespace) ?? []);
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

class Referrer {
  readonly #resource: Resource;
  readonly #index: ReferralIndex;
  readonly #namespace: string;
  readonly #isClusterScoped: boolean;
  #accountNamespaces: Set<string> | undefined;
  #target: NameReference = { fieldSpecs: [] };
  #path = '';

  constructor(resource: Resource, index: ReferralIndex) {
    const { id } = resource;
    this.#resource = resource;
    this.#index = index;
    this.#namespace = effectiveNamespace(id);
    this.#isClusterScoped = id.isClusterScoped;
  }

  fix(referrals: readonly Referral[]): void {
    if (!this.#isClusterScoped) this.#accountNamespaces = accountNamespaces(this.#resource);
    for (const { target, spec } of referrals) {
      this.#target = target;
      this.#path = spec.path;
      try {
        visitField(this.#resource, spec, { visit: (node) => this.#visit(node) });
      } catch (error) {
        const id = idString(this.#resource.id);
        throw wrap(error, `updating name reference in '${spec.path}' field of '${id}'`);
      }
    }
  }

  #visit(node: YamlNode): void {
    if (isMissingOrNull(node)) return;
    const items = node.kind === 'sequence' ? node.content : [node];
    for (const item of items) {
      if (item.kind === 'scalar') this.#setScalar(item);
      else if (item.kind === 'map') this.#setMap(item);
      else throw new KustomizeError('node is expected to be either a string or a map of string');
    }
  }

  #setScalar(node: YamlNode): void {
    const found = this.#select(node.value, this.#candidates(node.value), sameNames);
    if (found === undefined || found.name === node.value) return;
    setScalarText(node, found.name);
  }

  /** A map names the namespace, too, and both are updated. */
  #setMap(node: YamlNode): void {
    const name = node.get('name');
    if (name === undefined) throw new KustomizeError("path config error; no 'name' field in node");
    const namespace = node.get('namespace');
    let candidates = this.#candidates(name.value);
    if (namespace !== undefined) {
      candidates = this.#inNamespace(candidates, namespace.isNull() ? '' : namespace.value);
    }
    const found = this.#select(name.value, candidates, sameNamesAndNamespaces);
    if (found === undefined) return;
    if (found.name === name.value && found.namespace === '') return;
    setMapField(node, 'name', newScalar(found.name));
    if (found.namespace !== '') setMapField(node, 'namespace', newScalar(found.namespace));
  }

  #candidates(name: string): Candidate[] {
    return this.#index.named(name).filter((candidate) => this.#canRefer(candidate));
  }

  /** Whether a resource of that place can be referred to from here at all. */
  #canRefer(candidate: Candidate): boolean {
    if (this.#isClusterScoped || candidate.id.isClusterScoped) return true;
    if (candidate.namespace === this.#namespace) return true;
    return this.#accountNamespaces?.has(candidate.id.namespace) === true;
  }

  /** Those that were in the namespace at first; when nothing was, those that are in it now. */
  #inNamespace(candidates: Candidate[], namespace: string): Candidate[] {
    const wasThere = this.#index
      .inOriginalNamespace(namespace)
      .some((candidate) => this.#canRefer(candidate));
    return candidates.filter((candidate) =>
      wasThere
        ? effectiveNamespace(candidate.previousIds[0] ?? candidate.id) === namespace
        : candidate.namespace === namespace && namespace !== clusterScope,
    );
  }

  #select(
    name: string,
    named: readonly Candidate[],
    areAlike: (resources: readonly Resource[]) => boolean,
  ): Resource | undefined {
    if (named.length === 0) return undefined;
    const target = this.#target;
    const role = this.#roleReference();
    const fitting = named.filter(
      (candidate) =>
        candidate.previousIds.some((id) => appliesTo(target, id)) &&
        (role === undefined || candidate.previousIds.some((id) => appliesTo(role, id))) &&
        this.#isInReach(candidate),
    );
    if (fitting.length <= 1) return fitting[0]?.resource;
    const loose = fitting.filter(({ resource }) => this.#sharesAffixes(resource, true));
    if (loose.length <= 1) return loose[0]?.resource;
    const strict = loose.filter(({ resource }) => this.#sharesAffixes(resource, false));
    if (strict.length <= 1) return strict[0]?.resource;
    const resources = strict.map(({ resource }) => resource);
    if (areAlike(resources)) return resources[0];
    throw this.#ambiguous(name, resources);
  }

  #isInReach(candidate: Candidate): boolean {
    if (this.#isClusterScoped || candidate.id.isClusterScoped) return true;
    // A RoleBinding may name accounts of other namespaces.
    if (candidate.id.kind === 'ServiceAccount') return true;
    return candidate.namespace === this.#namespace;
  }

  /** A `roleRef` says itself of which kind its role is. */
  #roleReference(): { group: string; kind: string } | undefined {
    if (!this.#path.endsWith('roleRef/name')) return undefined;
    const reference = this.#resource.node.get('roleRef');
    const group = reference?.get('apiGroup')?.value;
    const kind = reference?.get('kind')?.value;
    return group === undefined || kind === undefined ? undefined : { group, kind };
  }

  #sharesAffixes(other: Resource, allowsEmpty: boolean): boolean {
    const fits = (a: readonly string[], b: readonly string[]): boolean =>
      (allowsEmpty && (a.length === 0 || b.length === 0)) || endsAlike(a, b);
    return (
      fits(other.prefixes, this.#resource.prefixes) && fits(other.suffixes, this.#resource.suffixes)
    );
  }

  #ambiguous(name: string, resources: readonly Resource[]): KustomizeError {
    const ids = resources.map((resource) => idString(resource.id)).join(', ');
    const shown = resources
      .map((resource, index) => `--- possible referral ${index}:\n${safeYaml(resource)}\n`)
      .join('');
    return new KustomizeError(
      `found multiple possible referrals: ${ids}\n\n**** Too many possible referral targets to referrer:\n${safeYaml(this.#resource)}\n${shown}`,
      { file: this.#resource.file, line: this.#resource.line, cause: name },
    );
  }
}

/** Secrets are named in messages, never shown. */
function safeYaml(resource: Resource): string {
  if (resource.kind === 'Secret') return `${idString(resource.id)} ***\n`;
  try {
    return emitYaml(resource.node);
  } catch {
    return `${idString(resource.id)}\n`;
  }
}

function sameNames(resources: readonly Resource[]): boolean {
  return resources.every((resource) => resource.name === resources[0]!.name);
}

function sameNamesAndNamespaces(resources: readonly Resource[]): boolean {
  return (
    sameNames(resources) &&
    resources.every((resource) => resource.namespace === resources[0]!.namespace)
  );
}

function endsAlike(a: readonly string[], b: readonly string[]): boolean {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const extra = longer.length - shorter.length;
  if (shorter.length === 0) return extra === 0;
  return shorter.every((part, index) => longer[index + extra] === part);
}

/** The namespaces of the accounts that a RoleBinding names. */
function accountNamespaces(resource: Resource): Set<string> {
  const namespaces = new Set<string>();
  if (resource.kind !== 'RoleBinding') return namespaces;
  const subjects = resource.node.get('subjects');
  if (subjects?.kind !== 'sequence') return namespaces;
  for (const subject of subjects.content) {
    const namespace = subject.get('namespace');
    if (namespace === undefined || subject.get('kind')?.value !== 'ServiceAccount') continue;
    if (namespace.isNull()) {
      throw new KustomizeError(
        `Invalid Input: namespace is blank for resource ${goQuote(idString(resource.id))}\n`,
        { file: namespace.file, line: namespace.line + 1 },
      );
    }
    namespaces.add(namespace.value);
  }
  return namespaces;
}
