import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems, qualifiedNameProblems } from '@waygate/text';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import { objectAt } from './fields.ts';
import { textProblems } from './rule.ts';

const nameLabel = 'kubernetes.io/metadata.name';

export const namespaceStrategy: Partial<Strategy> = {
  nameProblems: dnsLabelProblems,
  applyDefaults(object) {
    labelByName(object);
    object.status = { phase: 'Active', ...objectAt(object, 'status') };
  },
  prepareForCreate(object) {
    // A generated name is known only now.
    labelByName(object);
    const spec = (object.spec ?? {}) as { finalizers?: string[] };
    const finalizers = spec.finalizers ?? [];
    object.spec = {
      ...spec,
      finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
    };
    object.status = { phase: 'Active' };
  },
  validate: (object) =>
    (finalizersOf(object).finalizers ?? []).flatMap((each) =>
      finalizerProblems(each, 'spec.finalizers'),
    ),
  // Only the endpoint that ends a namespace changes them.
  validateUpdate: (object) =>
    (finalizersOf(object).finalizers ?? []).flatMap((each, index) =>
      finalizerProblems(each, `spec.finalizers[${index}]`),
    ),
  prepareForUpdate(object, old) {
    object.spec = { ...(object.spec as object), ...finalizersOf(old) };
    object.status = old.status;
  },
  selectableFields: {
    'status.phase': (object) => phaseOf(object),
  },
  columns: [
    {
      name: 'Status',
      type: 'string',
      description: 'The status of the namespace',
      cell: (object) => phaseOf(object),
    },
    ageColumn,
  ],
};

function finalizerProblems(finalizer: string, field: string): FieldProblem[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  const isKnown = finalizer.includes('/') || finalizer === 'kubernetes';
  return [
    ...textProblems(field, finalizer, qualifiedNameProblems),
    ...(isKnown ? [] : [invalid(field, finalizer, why)]),
  ];
}

function labelByName(object: DynamicObject): void {
  const { name = '' } = object.metadata;
  if (name === '') return;
  object.metadata.labels = { ...object.metadata.labels, [nameLabel]: name };
}

function finalizersOf(object: Readonly<DynamicObject>): { finalizers?: string[] } {
  const spec = object.spec as { finalizers?: string[] } | undefined;
  return spec?.finalizers === undefined ? {} : { finalizers: spec.finalizers };
}

function phaseOf(object: Readonly<DynamicObject>): string {
  return (object.status as { phase?: string } | undefined)?.phase ?? '';
}
