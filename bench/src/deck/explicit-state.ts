import { type JsonObject, normalizeEntity, writeDeckYaml } from '@waygate/kong';

/** Fields that decK 1.4 knows, of what `normalizeEntity` fills: it drops the others when it reads. */
const known = {
  services: 'name host port protocol path connect_timeout read_timeout write_timeout retries',
  routes:
    'name paths protocols regex_priority strip_path preserve_host path_handling https_redirect_status_code request_buffering response_buffering',
  plugins: 'name config enabled protocols',
  consumers: 'username custom_id',
} as const;

function explicit(collection: keyof typeof known, entity: JsonObject): JsonObject {
  const filled = normalizeEntity(collection, entity);
  return Object.fromEntries(
    known[collection].split(' ').flatMap((name) => {
      const value = filled[name];
      return value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

/**
 * A declarative file with about a quarter each of services, routes, plugins and consumers. All
 * defaults are written out: decK 1.4 does not know them, and would find differences otherwise.
 */
export function explicitState(entities: number, changed = false): string {
  const count = Math.max(1, Math.round(entities / 4));
  const services = Array.from({ length: count }, (_, index) => ({
    ...explicit('services', {
      name: `service-${index}`,
      host: `service-${index}.internal`,
      port: changed && index === 0 ? 81 : 80,
    }),
    routes: [explicit('routes', { name: `route-${index}`, paths: [`/path/${index}`] })],
    plugins: [
      explicit('plugins', { name: 'request-size-limiting', config: { allowed_payload_size: 8 } }),
    ],
  }));
  const consumers = Array.from({ length: count }, (_, index) =>
    explicit('consumers', { username: `consumer-${index}`, custom_id: `id-${index}` }),
  );
  return writeDeckYaml({ _format_version: '3.0', services, consumers } as JsonObject);
}
