import type { Service, ServicePort } from '../objects/service.ts';
import type { PortDefinition } from './service-claim.ts';

/** The port of a Service that a rule means, or why there is none. */
export function findPort(service: Service, wanted: PortDefinition): ServicePort | string {
  const isExternalName = service.spec?.type === 'ExternalName';
  const ports = service.spec?.ports ?? [];
  if (wanted.by === 'number') {
    // An ExternalName Service need not declare ports; any number is taken at its word.
    if (isExternalName) return { port: wanted.number, targetPort: wanted.number };
    return ports.find(({ port }) => port === wanted.number) ?? 'no suitable port found';
  }
  if (isExternalName) return 'rules with an ExternalName service must specify numeric ports';
  if (wanted.by === 'name') {
    return (
      ports.find(({ name, targetPort }) => name === wanted.name || targetPort === wanted.name) ??
      'no suitable port found'
    );
  }
  if (ports.length !== 1)
    return `in implicit mode, service must have exactly 1 port, has ${ports.length}`;
  return ports[0]!;
}
