import type { DynamicObject } from '@waygate/schema';
import type { StrategyContext } from '../resources/resource.ts';
import { forbiddenError } from '../status/api-error.ts';
import { type Fields, numberAt, textAt } from './fields.ts';

/** A pod's priority comes from its class, or from the one that is the default. */
export function setPriority(object: DynamicObject, spec: Fields, context: StrategyContext): void {
  const refuse = (why: string): never => {
    throw forbiddenError({ group: '', resource: 'pods' }, object.metadata.name ?? '', why);
  };
  const name = textAt(spec, 'priorityClassName');
  const found = name === '' ? defaultClass(context) : classOf(name, context);
  if (name !== '' && found === undefined) refuse(`no PriorityClass with name ${name} was found`);
  const priority = numberAt(found, 'value') ?? 0;
  const policy = textAt(found, 'preemptionPolicy') || 'PreemptLowerPriority';
  const given = numberAt(spec, 'priority');
  if (given !== undefined && given !== priority) {
    refuse(
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  const givenPolicy = textAt(spec, 'preemptionPolicy');
  if (givenPolicy !== '' && givenPolicy !== policy) {
    refuse(
      `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  if (found !== undefined && name === '') spec.priorityClassName = found.metadata.name;
  spec.priority = priority;
  spec.preemptionPolicy = policy;
}

/** Whoever sends a whole pod need not send what was computed for it. */
export function keepPriority(spec: Fields, old: Fields): void {
  for (const field of ['priority', 'preemptionPolicy'])
    if (spec[field] === undefined && old[field] !== undefined) spec[field] = old[field];
}

const collection = 'scheduling.k8s.io/priorityclasses';

function classOf(name: string, context: StrategyContext): Readonly<DynamicObject> | undefined {
  return context.find(collection, name);
}

/** Of several defaults the lowest counts. */
function defaultClass(context: StrategyContext): Readonly<DynamicObject> | undefined {
  return context
    .list(collection)
    .filter((each) => each.globalDefault === true)
    .sort((a, b) => (numberAt(a, 'value') ?? 0) - (numberAt(b, 'value') ?? 0))[0];
}
