import { Quantity } from '@waygate/schema';
import { type Fields, listAt, objectAt } from './fields.ts';
import { quantityOf } from './resource-rules.ts';

/**
 * What a pod asks for as a whole: its containers and sidecars run together, those that run
 * before them do so one by one, so the larger of the two counts.
 */
export function podAmounts(spec: Fields, field: 'requests' | 'limits'): Fields {
  const running = new Map<string, Quantity>();
  const starting = new Map<string, Quantity>();
  for (const container of listAt(spec, 'containers')) add(running, amountsOf(container, field));
  for (const container of listAt(spec, 'initContainers')) {
    if (container.restartPolicy === 'Always') add(running, amountsOf(container, field));
    else raise(starting, amountsOf(container, field));
  }
  raise(running, Object.fromEntries(starting));
  if (field === 'requests' || running.size > 0) add(running, objectAt(spec, 'overhead'));
  return Object.fromEntries([...running].map(([name, quantity]) => [name, quantity.toString()]));
}

function amountsOf(container: Fields, field: string): Fields {
  return objectAt(objectAt(container, 'resources'), field);
}

function add(sums: Map<string, Quantity>, amounts: Fields): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const quantity = asQuantity(amount);
    sums.set(name, sums.get(name)?.add(quantity) ?? quantity);
  }
}

function raise(maxima: Map<string, Quantity>, amounts: Fields): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const quantity = asQuantity(amount);
    const known = maxima.get(name);
    if (known === undefined || known.compare(quantity) < 0) maxima.set(name, quantity);
  }
}

function asQuantity(amount: unknown): Quantity {
  return amount instanceof Quantity ? amount : quantityOf(amount);
}
