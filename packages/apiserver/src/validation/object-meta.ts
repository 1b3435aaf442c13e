import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems, labelValueProblems, qualifiedNameProblems } from '@waygate/text';
import { type FieldProblem, forbidden, invalid, required } from '../status/field-problem.ts';

const maxAnnotationBytes = 256 * 1024;

/** Whether a finalizer must be one of the system's or name the domain of its owner. */
export function hasOwnedFinalizers(resource: {
  readonly isCustom: boolean;
  readonly strategy: { readonly takesAnyFinalizer?: boolean };
}): boolean {
  return !resource.isCustom && resource.strategy.takesAnyFinalizer !== true;
}

/** The rules that hold for the metadata of every object. */
export function validateMetadata(
  object: DynamicObject,
  isNamespaced: boolean,
  nameProblems: (name: string) => readonly string[],
  ownsFinalizers = true,
): FieldProblem[] {
  const metadata = object.metadata;
  const problems: FieldProblem[] = [];
  if (metadata.generateName !== undefined && metadata.generateName !== '') {
    // A generated name ends in letters, so a trailing dash is no problem.
    const prefix = metadata.generateName.replace(/-$/, 'a');
    for (const problem of nameProblems(prefix)) {
      problems.push(invalid('metadata.generateName', metadata.generateName, problem));
    }
  }
  if ((metadata.name ?? '') === '') {
    problems.push(required('metadata.name', 'name or generateName is required'));
  } else {
    for (const problem of nameProblems(metadata.name as string)) {
      problems.push(invalid('metadata.name', metadata.name, problem));
    }
  }
  problems.push(...validateNamespace(metadata.namespace, isNamespaced));
  if (metadata.generation !== undefined && metadata.generation < 0) {
    problems.push(
      invalid('metadata.generation', metadata.generation, 'must be greater than or equal to 0'),
    );
  }
  problems.push(...validateLabels(metadata.labels, 'metadata.labels'));
  problems.push(...validateAnnotations(metadata.annotations, 'metadata.annotations'));
  problems.push(...validateOwnerReferences(metadata.ownerReferences));
  problems.push(...validateFinalizers(metadata.finalizers, ownsFinalizers));
  return problems;
}

function validateNamespace(namespace: string | undefined, isNamespaced: boolean): FieldProblem[] {
  if (!isNamespaced) {
    return (namespace ?? '') === ''
      ? []
      : [forbidden('metadata.namespace', 'not allowed on this type')];
  }
  if ((namespace ?? '') === '') return [required('metadata.namespace')];
  return dnsLabelProblems(namespace as string).map((problem) =>
    invalid('metadata.namespace', namespace, problem),
  );
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const keys = Object.keys(labels ?? {}).sort();
  for (const key of keys) {
    const value = labels?.[key] ?? '';
    for (const problem of labelValueProblems(value)) problems.push(invalid(field, value, problem));
  }
  for (const key of keys) {
    for (const problem of qualifiedNameProblems(key)) problems.push(invalid(field, key, problem));
  }
  return problems;
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field: string,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const problem of qualifiedNameProblems(key.toLowerCase())) {
      problems.push(invalid(field, key, problem));
    }
  }
  if (bytes > maxAnnotationBytes) {
    problems.push({
      type: 'tooLong',
      field,
      detail: `may not be more than ${maxAnnotationBytes} bytes`,
    });
  }
  return problems;
}

function validateOwnerReferences(
  owners: DynamicObject['metadata']['ownerReferences'],
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const field = 'metadata.ownerReferences';
  let controller: string | undefined;
  for (const owner of owners ?? []) {
    const version = owner.apiVersion ?? '';
    if (version === '' || version.split('/').length > 2)
      problems.push(invalid(`${field}.apiVersion`, version, 'version must not be empty'));
    for (const part of ['kind', 'name', 'uid'] as const) {
      if ((owner[part] ?? '') === '')
        problems.push(invalid(`${field}.${part}`, '', 'must not be empty'));
    }
    if (version === 'v1' && owner.kind === 'Event')
      problems.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (owner.controller !== true) continue;
    const name = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      problems.push(
        invalid(
          field,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
        ),
      );
    } else controller = name;
  }
  return problems;
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function validateFinalizers(
  finalizers: readonly string[] | undefined,
  ownsFinalizers: boolean,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  for (const finalizer of finalizers ?? []) {
    for (const problem of qualifiedNameProblems(finalizer)) {
      problems.push(invalid('metadata.finalizers', finalizer, problem));
    }
  }
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    if (!ownsFinalizers || finalizer.includes('/') || standardFinalizers.has(finalizer)) continue;
    problems.push(
      invalid(
        `metadata.finalizers[${index}]`,
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      ),
    );
  }
  const list = finalizers ?? [];
  if (list.includes('orphan') && list.includes('foregroundDeletion')) {
    problems.push(
      invalid(
        'metadata.finalizers',
        list,
        'finalizer orphan and foregroundDeletion cannot be both set',
      ),
    );
  }
  return problems;
}

/** What may not change once an object is there. */
export function validateMetadataUpdate(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const next = object.metadata;
  const before = old.metadata;
  if (before.deletionTimestamp !== undefined) {
    const added = (next.finalizers ?? []).filter(
      (each) => !(before.finalizers ?? []).includes(each),
    );
    if (added.length > 0) {
      problems.push(
        forbidden(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(', ')}}`,
        ),
      );
    }
  }
  for (const field of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (next[field] !== before[field]) {
      problems.push(invalid(`metadata.${field}`, next[field] ?? null, 'field is immutable'));
    }
  }
  return problems;
}
