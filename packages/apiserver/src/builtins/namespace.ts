import type { DynamicObject } from '@waygate/schema';
import { dnsLabelProblems, qualifiedNameProblems } from '@waygate/text';
import { ageColumn } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { invalid } from '../status/field-problem.ts';
import { textProblems } from './rule.ts';

const nameLabel = 'kubernetes.io/metadata.name';

export const namespaceStrategy: Partial<Strategy> = {
  nameProblems: dnsLabelProblems,
  applyDefaults: labelByName,
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
    (finalizersOf(object).finalizers ?? []).flatMap((finalizer) => [
      ...textProblems('spec.finalizers', finalizer, qualifiedNameProblems),
      ...(finalizer.includes('/') || finalizer === 'kubernetes'
        ? []
        : [
            invalid(
              'spec.finalizers',
              finalizer,
              'name is neither a standard finalizer name nor is it fully qualified',
            ),
          ]),
    ]),
  validateUpdate: () => [],
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
