import type { DynamicObject } from '@waygate/schema';
import { equalJson } from '@waygate/text';
import type { SubresourceStrategy } from '../resources/resource.ts';
import { type FieldProblem, forbidden, invalid } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { qualityOf } from './pod-quality.ts';
import { podSpecProblems } from './pod-spec-rules.ts';
import { allMetadata } from './status-rules.ts';

const lists = ['containers', 'initContainers'] as const;
const specOf = (pod: Readonly<DynamicObject>) => objectAt(pod, 'spec');

/** `pods/NAME/resize`: what containers may use is changed while they run, and nothing else. */
export const podResizeStrategy: SubresourceStrategy = {
  isPreparedFirst: true,
  prepare(object, old) {
    const [next, before] = [specOf(object), specOf(old)];
    // Containers that came or went are for the rules to refuse.
    if (lists.some((list) => listAt(next, list).length !== listAt(before, list).length)) return;
    const kept = structuredClone(before);
    for (const list of lists)
      if (before[list] !== undefined) kept[list] = resized(listAt(next, list), listAt(kept, list));
    object.spec = kept;
    object.status = old.status;
    const metadata = object.metadata as Record<string, unknown>;
    for (const name of allMetadata) {
      const value = (old.metadata as Record<string, unknown>)[name];
      if (value === undefined) delete metadata[name];
      else metadata[name] = value;
    }
  },
  validate: (object, old) => {
    const whole = unfit(old);
    return whole === undefined
      ? [
          ...podSpecProblems(specOf(object), 'spec', objectAt(object, 'metadata')),
          ...changeProblems(object, old),
        ]
      : [forbidden('', whole)];
  },
};

/** The old containers with the resources of the new ones; the new ones, if they are others. */
function resized(next: readonly Fields[], before: readonly Fields[]): Fields[] {
  if (next.some((each, index) => each.name !== before[index]?.name)) return [...next];
  return before.map((container, index) => {
    const { resources: _resources, resizePolicy: _resizePolicy, ...rest } = container;
    const { resources = {}, resizePolicy } = next[index] as Fields;
    return { ...rest, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}

function unfit(old: Readonly<DynamicObject>): string | undefined {
  if (old.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined)
    return 'static pods cannot be resized';
  const isWindows = textAt(objectAt(specOf(old), 'os'), 'name') === 'windows';
  return isWindows ? 'windows pods cannot be resized' : undefined;
}

function changeProblems(object: DynamicObject, old: Readonly<DynamicObject>): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const quality = textAt(objectAt(old, 'status'), 'qosClass') || qualityOf(specOf(old));
  if (quality !== qualityOf(specOf(object)))
    problems.push(invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing'));
  const running = listAt(objectAt(old, 'status'), 'containerStatuses').find(
    (each) => objectAt(each, 'state').running !== undefined,
  );
  if (running !== undefined && running.resources === undefined)
    problems.push(forbidden('spec', 'Pod running on node without support for resize'));
  const others = lists.flatMap((list) => otherProblems(object, old, list));
  if (others.length > 0) return [...problems, ...others];
  return [...problems, ...lists.flatMap((list) => amountProblems(object, old, list))];
}

function otherProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  list: (typeof lists)[number],
): FieldProblem[] {
  const [next, before] = [listAt(specOf(object), list), listAt(specOf(old), list)];
  if (next.length !== before.length)
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, index) =>
    next[index]?.name === name
      ? []
      : [
          forbidden(
            `spec.${list}[${index}].name`,
            `${list} may not be renamed or reordered on resize`,
          ),
        ],
  );
}

/** Cpu and memory may become more or less; nothing may go, and nothing else may change. */
function amountProblems(
  object: DynamicObject,
  old: Readonly<DynamicObject>,
  list: (typeof lists)[number],
): FieldProblem[] {
  const next = listAt(specOf(object), list);
  return listAt(specOf(old), list).flatMap((before, index) => {
    const [now, then] = [
      objectAt(next[index] as Fields, 'resources'),
      objectAt(before, 'resources'),
    ];
    const at = `spec.${list}[${index}].resources`;
    const removed = (['requests', 'limits'] as const).flatMap((part) =>
      Object.keys(objectAt(then, part)).some((name) => objectAt(now, part)[name] === undefined)
        ? [forbidden(`${at}.${part}`, `resource ${part} cannot be removed`)]
        : [],
    );
    const isOther = !equalJson(withoutMutable(now), withoutMutable(then));
    return isOther
      ? [...removed, forbidden('spec', 'only cpu and memory resources are mutable')]
      : removed;
  });
}

function withoutMutable(resources: Fields): Fields {
  const others = (part: string) =>
    Object.fromEntries(
      Object.entries(objectAt(resources, part)).filter(([name]) => !/^(cpu|memory)$/.test(name)),
    );
  return { requests: others('requests'), limits: others('limits'), claims: resources.claims };
}
