import type { DynamicObject } from '@waygate/schema';
import { equalJson, goJson } from '@waygate/text';

import type { SubresourceStrategy } from '../resources/resource.ts';
import { type FieldProblem, forbidden } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { internalForm } from './internal-form.ts';
import { podSpecProblems } from './pod-spec-rules.ts';
import { unifiedDiff } from './unified-diff.ts';

const field = 'spec.ephemeralContainers';
const keptMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

function containersOf(pod: Readonly<DynamicObject>): Fields[] {
  return listAt(objectAt(pod, 'spec'), 'ephemeralContainers');
}

/** `pods/NAME/ephemeralcontainers`: containers to look into a pod with, which come and stay. */
export const ephemeralContainersStrategy: SubresourceStrategy = {
  isPreparedFirst: true,
  prepare(object, old) {
    const containers = containersOf(object);
    object.spec = {
      ...objectAt(old, 'spec'),
      ...(containers.length === 0 ? {} : { ephemeralContainers: containers }),
    };
    if (containers.length === 0) delete objectAt(object, 'spec').ephemeralContainers;
    object.status = old.status;
    const metadata = object.metadata as Record<string, unknown>;
    for (const name of keptMetadata) {
      if (old.metadata[name] === undefined) delete metadata[name];
      else metadata[name] = old.metadata[name];
    }
  },
  validate: (object, old) => [
    ...podSpecProblems(objectAt(object, 'spec'), 'spec', objectAt(object, 'metadata')),
    ...changeProblems(object, old),
  ],
};

function changeProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  if (old.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined)
    return [forbidden('', 'static pods do not support ephemeral containers')];
  const problems: FieldProblem[] = [];
  for (const before of containersOf(old)) {
    const name = textAt(before, 'name');
    const after = containersOf(object).find((each) => each.name === name);
    const said = `existing ephemeral containers ${JSON.stringify(name)} may not be`;
    if (after === undefined) problems.push(forbidden(field, `${said} removed\n`));
    else if (!equalJson(before, after)) {
      const print = (each: Fields) =>
        goJson(internalForm('EphemeralContainer', each), { indent: 1 });
      const diff = unifiedDiff(print(before), print(after));
      problems.push(forbidden(field, `${said} changed\n${diff}`));
    }
  }
  return problems;
}
