import type { Service } from '../objects/service.ts';
import {
  annotation,
  annotationsOf,
  isKongProtocol,
  parseBoolean,
  parseInteger,
} from './annotations.ts';
import type { ServiceEntity } from './kong-state.ts';
import type { ProblemList } from './problem.ts';

const numbers = {
  'connect-timeout': 'connect_timeout',
  'read-timeout': 'read_timeout',
  'write-timeout': 'write_timeout',
  retries: 'retries',
} as const;

/** What the annotations of a Service say on the Kong service that leads to it. */
export function applyServiceAnnotations(
  entity: ServiceEntity,
  services: readonly Service[],
  problems: ProblemList,
): void {
  for (const service of services) {
    const annotations = annotationsOf(service);
    const protocol = annotation(annotations, 'protocol');
    if (protocol && !isKongProtocol(protocol)) {
      problems.add(`konghq.com/protocol annotation has invalid value: ${protocol}`, ...services);
      continue;
    }
    if (protocol) entity.protocol = protocol;
    const path = annotation(annotations, 'path');
    if (path?.startsWith('/')) entity.path = path;
    for (const [key, field] of Object.entries(numbers)) {
      const value = parseInteger(annotation(annotations, key) ?? '');
      if (value !== undefined) entity[field] = value;
    }
    const isVerified = parseBoolean(annotation(annotations, 'tls-verify') ?? '');
    if (isVerified !== undefined) entity.tls_verify = isVerified;
    const depth = parseInteger(annotation(annotations, 'tls-verify-depth') ?? '');
    if (depth !== undefined) entity.tls_verify_depth = depth;
  }
  // gRPC calls carry their path themselves.
  if (entity.protocol === 'grpc' || entity.protocol === 'grpcs') delete entity.path;
}
