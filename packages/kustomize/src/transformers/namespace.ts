import { isMissingOrNull, newKey, newString, type YamlNode } from '@waygate/text';
import { appliesTo, type FieldSpec, visitField } from '../config/field-spec.ts';
import { setScalarString } from '../field-setter.ts';
import { KustomizeError, wrap } from '../kustomize-error.ts';
import type { Resource } from '../resource.ts';
import type { ResourceList } from '../resource-list.ts';
import type { Transformer } from './transformer.ts';

/** Which subjects of role bindings move along. */
export type SubjectMode = '' | 'defaultOnly' | 'allServiceAccounts' | 'none';

interface NamespaceOptions {
  readonly namespace: string;
  readonly specs: readonly FieldSpec[];
  readonly subjects?: SubjectMode;
  /** Leaves what has a namespace alone. */
  readonly unsetOnly?: boolean;
}

/** Moves resources into a namespace. */
export function namespaceTransformer(options: NamespaceOptions): Transformer {
  return {
    kind: 'NamespaceTransformer',
    transform(resources) {
      if (options.namespace === '') return;
      for (const resource of resources) {
        if (resource.isEmpty || resource.isHelmMade) continue;
        resource.storePreviousId();
        move(resource, options);
      }
      resources.reindex();
      refuseConflicts(resources);
    },
  };
}

function refuseConflicts(resources: ResourceList): void {
  for (const resource of resources) {
    if (resource.isHelmMade) continue;
    const same = resources.findById(resource.id);
    if (same.length === 1) continue;
    const shown = same.map((other) =>
      other.kind === 'Secret' ? `Secret/${other.name} ***` : other.toString(),
    );
    throw new KustomizeError(
      `namespace transformation produces ID conflict: [${shown.join(' ')}]`,
      { file: resource.file, line: resource.line },
    );
  }
}

const metaNamespace: FieldSpec = { path: 'metadata/namespace', create: true };

function move(resource: Resource, options: NamespaceOptions): void {
  const { id } = resource;
  const isBinding = id.kind === 'RoleBinding' || id.kind === 'ClusterRoleBinding';
  const set = (node: YamlNode): void => {
    if (options.unsetOnly === true && !isMissingOrNull(node) && node.value !== '') return;
    setScalarString(node, options.namespace);
  };
  const visit = { visit: set, createKind: 'scalar' } as const;
  if (!id.isClusterScoped) visitField(resource, metaNamespace, visit);
  if (isBinding) moveSubjects(resource, options.subjects ?? '', set);
  for (const spec of options.specs) {
    if (spec.path === 'metadata/namespace' || !appliesTo(spec, id)) continue;
    // Another group may have a Namespace of its own.
    if (spec.path === 'metadata/name' && resource.apiVersion !== 'v1') continue;
    if (isBinding && isBindingKind(spec.kind) && spec.path === 'subjects/namespace') continue;
    try {
      visitField(resource, spec, visit);
    } catch (error) {
      const isWrongKind = (error as Error).message.includes('wrong node kind');
      throw wrap(
        error,
        isWrongKind
          ? 'namespace field specs must target scalar nodes'
          : 'namespace transformation failed',
      );
    }
  }
}

function isBindingKind(kind: string | undefined): boolean {
  return kind === 'RoleBinding' || kind === 'ClusterRoleBinding';
}

function moveSubjects(resource: Resource, mode: SubjectMode, set: (node: YamlNode) => void): void {
  if (mode === 'none') return;
  const subjects = resource.node.get('subjects');
  if (subjects === undefined || subjects.kind !== 'sequence') return;
  for (const subject of subjects.content) {
    const moves =
      mode === 'allServiceAccounts'
        ? subject.get('kind')?.value === 'ServiceAccount'
        : subject.get('name')?.value === 'default';
    if (!moves) continue;
    let namespace = subject.get('namespace');
    if (namespace === undefined) {
      namespace = newString('');
      subject.content.push(newKey('namespace'), namespace);
    }
    set(namespace);
  }
}
