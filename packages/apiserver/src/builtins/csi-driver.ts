import { equalJson } from '@waygate/text';
import { ageColumn, column } from '../output/base-columns.ts';
import type { Strategy } from '../resources/resource.ts';
import { type FieldProblem, invalid } from '../status/field-problem.ts';
import { type Fields, listAt, textAt } from './fields.ts';
import { listed } from './rule.ts';
import { immutable, specOf } from './workload.ts';

const flag = { type: 'boolean' };
const modes = ['Persistent', 'Ephemeral'];
const policies = ['ReadWriteOnceWithFSType', 'File', 'None'];

/** What a driver of volumes can do. */
export const driverStrategy: Partial<Strategy> = {
  allowsUnconditionalUpdate: false,
  applyDefaults(object) {
    object.spec ??= {};
    const spec = specOf(object);
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (((spec.volumeLifecycleModes ?? []) as unknown[]).length === 0) {
      spec.volumeLifecycleModes = ['Persistent'];
    }
  },
  // It counts changes, and not the beginning.
  prepareForUpdate(object, old) {
    if (!equalJson(object.spec, old.spec))
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: (object) => specProblems(specOf(object)),
  validateUpdate(object, old) {
    const problems = immutable(object, old, ['spec', 'attachRequired']);
    return [
      ...specProblems(specOf(object)),
      // The API's own spelling.
      ...problems.map((each) => ({ ...each, field: 'spec.attachedRequired' })),
      ...immutable(object, old, ['spec', 'volumeLifecycleModes']),
    ];
  },
  columns: [
    column('AttachRequired', (object) => specOf(object).attachRequired ?? true, flag),
    column('PodInfoOnMount', (object) => specOf(object).podInfoOnMount ?? false, flag),
    column('StorageCapacity', (object) => specOf(object).storageCapacity ?? false, flag),
    column('TokenRequests', (object) => {
      const audiences = listAt(specOf(object), 'tokenRequests').map((each) =>
        textAt(each, 'audience'),
      );
      return audiences.length === 0 ? '<unset>' : audiences.join(',');
    }),
    column('RequiresRepublish', (object) => specOf(object).requiresRepublish ?? false, flag),
    column('Modes', (object) => {
      const listed = (specOf(object).volumeLifecycleModes ?? []) as string[];
      return listed.length === 0 ? '<none>' : listed.join(',');
    }),
    ageColumn,
  ],
};

function specProblems(spec: Fields): FieldProblem[] {
  const audiences = listAt(spec, 'tokenRequests').map((each) => textAt(each, 'audience'));
  return [
    ...((spec.volumeLifecycleModes ?? []) as string[]).flatMap((mode) =>
      listed('spec.volumeLifecycleModes', mode, modes),
    ),
    ...listed('spec.fsGroupPolicy', spec.fsGroupPolicy, policies),
    ...listAt(spec, 'tokenRequests').flatMap((request, index) => {
      const seconds = request.expirationSeconds;
      const why = 'may not specify a duration less than 10 minutes';
      return typeof seconds === 'number' && seconds < 600
        ? [invalid(`spec.tokenRequests[${index}].expirationSeconds`, seconds, why)]
        : [];
    }),
    ...audiences.flatMap((audience, index): FieldProblem[] =>
      audiences.indexOf(audience) === index
        ? []
        : [
            {
              type: 'duplicate',
              field: `spec.tokenRequests[${index}].audience`,
              value: audience,
              detail: '',
            },
          ],
    ),
  ];
}
