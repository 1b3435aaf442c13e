import { createHash, X509Certificate } from 'node:crypto';
import type { JsonObject } from '../entity/entities.ts';

/** Fields that Kong computes from others when it stores an entity. */
type Derivation = (entity: JsonObject) => JsonObject;

function caCertificate(entity: JsonObject): JsonObject {
  if (typeof entity.cert !== 'string') return entity;
  const { raw } = new X509Certificate(entity.cert);
  return { ...entity, cert_digest: createHash('sha256').update(raw).digest('hex') };
}

/** The algorithm follows what is hashed on; the algorithms that do not hash win over it. */
function upstream(entity: JsonObject): JsonObject {
  if (entity.algorithm === 'least-connections' || entity.algorithm === 'latency') {
    return { ...entity, hash_on: 'none' };
  }
  const isHashed = entity.hash_on !== 'none' && entity.hash_on !== null;
  return { ...entity, algorithm: isHashed ? 'consistent-hashing' : 'round-robin' };
}

const derivations: Readonly<Record<string, Derivation>> = {
  ca_certificates: caCertificate,
  upstreams: upstream,
};

/** An entity with the fields that follow from others. */
export function deriveFields(schema: string, entity: JsonObject): JsonObject {
  return derivations[schema]?.(entity) ?? entity;
}
