import { type KongState, nameOfConsumer } from '../translate/kong-state.ts';

/** What became of the other entities of a configuration. */
interface Outcome {
  /** Whether a service is there, in whatever version. */
  hasService(name: string): boolean;
  /** Whether `route NAME` or `consumer NAME` is there as it is asked for. */
  isNew(place: string): boolean;
  isRefused(key: string, entity: object): boolean;
}

/** The custom entities without those that are refused, or that belong to something that is not there. */
export function customEntitiesOf(
  { services, consumers, customEntities }: KongState,
  { hasService, isNew, isRefused }: Outcome,
): KongState['customEntities'] {
  const gone = new Set<string>();
  for (const { id, name, routes = [] } of services) {
    if (id !== undefined && !hasService(name)) gone.add(id);
    for (const route of routes)
      if (route.id !== undefined && !isNew(`route ${route.name}`)) gone.add(route.id);
  }
  for (const consumer of consumers)
    if (consumer.id !== undefined && !isNew(`consumer ${nameOfConsumer(consumer)}`))
      gone.add(consumer.id);
  const result: KongState['customEntities'] = {};
  for (const [type, entities] of Object.entries(customEntities)) {
    const kept = entities.filter((entity) => {
      if (isRefused(`${type} ${JSON.stringify(entity)}`, entity)) return false;
      return !Object.values(entity).some((value) =>
        gone.has(String((value as { id?: unknown } | null)?.id ?? '')),
      );
    });
    if (kept.length > 0) result[type] = kept;
  }
  return result;
}
