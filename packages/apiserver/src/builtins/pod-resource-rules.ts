import { Quantity } from '@waygate/schema';
import { type FieldProblem, forbidden, invalid, notSupported } from '../status/field-problem.ts';
import { type Fields, listAt, objectAt, textAt } from './fields.ts';
import { usedClaimProblems } from './resource-claim-rules.ts';
import { quantityOf, resourceNameProblems, resourceProblems } from './resource-rules.ts';

function nameProblems(name: string, field: string): FieldProblem[] {
  const problems = resourceNameProblems(name, field);
  const isKnown = name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
  return problems.length > 0 || isKnown
    ? problems
    : [notSupported(field, name, ['cpu', 'hugepages-', 'memory'])];
}

/** What a pod asks for as a whole: enough for its containers together, and no less than one's limit. */
export function podResourceProblems(spec: Fields, parent: string): FieldProblem[] {
  if (spec.resources === undefined) return [];
  const field = `${parent}.resources`;
  if (textAt(objectAt(spec, 'os'), 'name') === 'windows')
    return [forbidden(field, 'may not be set for a windows pod')];
  const resources = objectAt(spec, 'resources');
  const claims = listAt(spec, 'resourceClaims').map((each) => textAt(each, 'name'));
  const why = 'claims may not be set for Resources at pod-level';
  return [
    ...(resources.claims === undefined ? [] : [forbidden(`${field}.claims`, why)]),
    ...resourceProblems(resources, field, nameProblems),
    ...usedClaimProblems(resources, field, claims),
    ...sumProblems(spec, field),
    ...eachProblems(spec, field),
  ];
}

function amountsOf(container: Fields, part: string): Map<string, Quantity> {
  const amounts = Object.entries(objectAt(objectAt(container, 'resources'), part));
  return new Map(amounts.map(([name, value]) => [name, quantityOf(value)]));
}

function isSidecar(container: Fields): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * What containers need at one time: all that run together, or one that prepares with the sidecars
 * that are up before it, if that is more.
 */
function neededTogether(spec: Fields, part: string): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  const add = (to: Map<string, Quantity>, amounts: ReadonlyMap<string, Quantity>) => {
    for (const [name, amount] of amounts)
      to.set(name, (to.get(name) ?? Quantity.fromNumber(0)).add(amount));
  };
  for (const container of listAt(spec, 'containers')) add(total, amountsOf(container, part));
  const sidecars = new Map<string, Quantity>();
  const most: Map<string, Quantity>[] = [];
  for (const container of listAt(spec, 'initContainers')) {
    if (isSidecar(container)) {
      add(sidecars, amountsOf(container, part));
      add(total, amountsOf(container, part));
    } else {
      const during = new Map(sidecars);
      add(during, amountsOf(container, part));
      most.push(during);
    }
  }
  for (const amounts of most)
    for (const [name, amount] of amounts) {
      const sum = total.get(name);
      if (sum === undefined || sum.compare(amount) < 0) total.set(name, amount);
    }
  return total;
}

function sumProblems(spec: Fields, field: string): FieldProblem[] {
  const resources = objectAt(spec, 'resources');
  return (['requests', 'limits'] as const).flatMap((part) =>
    [...neededTogether(spec, part)].flatMap(([name, sum]) => {
      const own = objectAt(resources, part)[name];
      if (own === undefined || sum.compare(quantityOf(own)) <= 0) return [];
      if (part === 'limits' && !name.startsWith('hugepages-')) return [];
      const why = `must be greater than or equal to aggregate container ${part} of ${sum}`;
      return [invalid(`${field}.${part}[${name}]`, String(own), why)];
    }),
  );
}

function eachProblems(spec: Fields, field: string): FieldProblem[] {
  const limits = objectAt(objectAt(spec, 'resources'), 'limits');
  return listAt(spec, 'containers').flatMap((container, index) =>
    Object.entries(objectAt(objectAt(container, 'resources'), 'limits')).flatMap(
      ([name, value]) => {
        const whole = limits[name];
        if (whole === undefined || quantityOf(value).compare(quantityOf(whole)) <= 0) return [];
        const why = `must be less than or equal to pod limits of ${whole}`;
        return [invalid(`${field}.containers[${index}][${name}].limits`, String(value), why)];
      },
    ),
  );
}
