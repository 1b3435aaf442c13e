import {
  createPrivateKey,
  createPublicKey,
  type JsonWebKeyInput,
  X509Certificate,
} from 'node:crypto';
import { isObject } from '@waygate/text';
import type { JsonObject } from '../entity/entities.ts';
import { isVaultReference } from './constraint.ts';
import { findRouteExpressionError } from './route-expression.ts';
import type { RouterFlavor } from './schema-catalog.ts';
import { addEntityError, type FieldErrors } from './schema-errors.ts';

/** What a rule over a whole entity needs beside it. */
interface RuleContext {
  readonly routerFlavor: RouterFlavor;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the router has against an expression, if a router is there to ask. */
  readonly checkExpression?: (expression: string, isStream: boolean) => string | undefined;
}

/** A check over several fields that is code in Kong. Returns the message, if the check fails. */
interface EntityRule {
  /** The check does not run when one of these is wrong on its own. */
  readonly fields: readonly string[];
  check(entity: JsonObject, context: RuleContext): string | undefined;
}

function matches(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function pairRule(certificateField: string, keyField: string): EntityRule {
  return {
    fields: [certificateField, keyField],
    check(entity) {
      const certificate = entity[certificateField];
      const key = entity[keyField];
      if (typeof certificate !== 'string' || typeof key !== 'string') return undefined;
      if (isVaultReference(certificate) || isVaultReference(key)) return undefined;
      return matches(certificate, key) ? undefined : 'certificate does not match key';
    },
  };
}

function keyTypeOf(certificate: string): string | undefined {
  return new X509Certificate(certificate).publicKey.asymmetricKeyType;
}

const alternateRule: EntityRule = {
  fields: ['cert', 'cert_alt'],
  check({ cert, cert_alt }) {
    if (typeof cert !== 'string' || typeof cert_alt !== 'string') return undefined;
    if (isVaultReference(cert) || isVaultReference(cert_alt)) return undefined;
    if (keyTypeOf(cert) !== keyTypeOf(cert_alt)) return undefined;
    return 'certificate and alternative certificate need to have different type (e.g. RSA and ECDSA), the provided certificates were both of the same type';
  },
};

const caRule: EntityRule = {
  fields: ['cert'],
  check({ cert }, { now }) {
    if (typeof cert !== 'string') return undefined;
    if (cert.split('-----BEGIN CERTIFICATE-----').length > 2) {
      return 'please submit only one certificate at a time';
    }
    const certificate = new X509Certificate(cert);
    if (Date.parse(certificate.validTo) < now) {
      return 'certificate expired, "Not After" time is in the past';
    }
    return certificate.ca
      ? undefined
      : 'certificate does not appear to be a CA because it is missing the "CA" basic constraint';
  },
};

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isJsonWebKey(key: Record<string, unknown>): boolean {
  for (const create of [createPrivateKey, createPublicKey]) {
    try {
      create({ key, format: 'jwk' } as JsonWebKeyInput);
      return true;
    } catch {}
  }
  return false;
}

const keyRule: EntityRule = {
  fields: ['jwk', 'pem', 'kid'],
  check({ jwk, kid }) {
    if (typeof jwk === 'string' && !isVaultReference(jwk)) {
      const key = parseObject(jwk);
      if (key === undefined) return 'could not json decode jwk string';
      if (key.kid !== kid) return 'kid in jwk.kid must be equal to keys.kid';
      if (!isJsonWebKey(key)) return 'could not load JWK, likely not a valid key';
    }
    return undefined;
  },
};

const matcherNames = ['methods', 'hosts', 'paths', 'headers', 'snis', 'sources', 'destinations'];

function hasMatcher(route: JsonObject): boolean {
  return matcherNames.some((name) => {
    const value = route[name];
    return value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  });
}

function isStreamRoute(route: JsonObject): boolean {
  const [first] = Array.isArray(route.protocols) ? route.protocols : [];
  return ['tcp', 'tls', 'udp', 'tls_passthrough'].includes(String(first));
}

/** A route of the expressions router matches by its expression or by fields, never by both. */
function expressionConflict(route: JsonObject): string | undefined {
  const list =
    "'methods', 'hosts', 'paths', 'headers', 'snis', 'sources' or 'destinations' simultaneously";
  const { expression, regex_priority, priority } = route;
  if (typeof expression !== 'string') {
    return hasMatcher(route) && Number(priority ?? 0) !== 0
      ? `cannot set 'priority' with ${list}`
      : undefined;
  }
  if (hasMatcher(route)) return `cannot set 'expression' with ${list}`;
  return Number(regex_priority ?? 0) === 0
    ? undefined
    : "cannot set 'regex_priority' with 'expression' simultaneously";
}

function missingMatcher(route: JsonObject): string {
  if (isStreamRoute(route)) {
    return "must set one of 'sources', 'destinations', 'snis', 'expression' when 'protocols' is 'tcp', 'tls' or 'udp'";
  }
  const protocols = Array.isArray(route.protocols) ? route.protocols : [];
  const isSecure = protocols.includes('https') || protocols.includes('grpcs');
  const names = [
    'methods',
    'hosts',
    'headers',
    'paths',
    ...(isSecure ? ['snis'] : []),
    'expression',
  ];
  const list = names.map((name) => `'${name}'`).join(', ');
  return `must set one of ${list} when 'protocols' is '${isSecure ? 'https' : 'http'}'`;
}

const routeRule: EntityRule = {
  fields: [
    'protocols',
    'snis',
    'sources',
    'destinations',
    'methods',
    'hosts',
    'paths',
    'headers',
    'expression',
    'regex_priority',
    'priority',
  ],
  check(route, { routerFlavor, checkExpression }) {
    if (routerFlavor === 'traditional') return undefined;
    if (routerFlavor !== 'expressions') return findRouteExpressionError(route);
    const { expression } = route;
    const conflict = expressionConflict(route);
    if (conflict !== undefined) return `Router Expression failed validation: ${conflict}`;
    if (typeof expression !== 'string') {
      return hasMatcher(route) ? findRouteExpressionError(route) : missingMatcher(route);
    }
    const problem = checkExpression?.(expression, isStreamRoute(route));
    return problem === undefined ? undefined : `Router Expression failed validation: ${problem}`;
  },
};

/** An expression that is empty is no matcher, whatever else is wrong with it. */
const emptyExpressionRule: EntityRule = {
  fields: [],
  check(route, { routerFlavor }) {
    const isEmpty = routerFlavor === 'expressions' && route.expression === '';
    return isEmpty ? missingMatcher(route) : undefined;
  },
};

const proxySchemeRule: EntityRule = {
  fields: ['config'],
  check({ config }) {
    const url = (config as JsonObject | null | undefined)?.proxy_url;
    if (typeof url !== 'string') return undefined;
    const scheme = /^([^:]+):\/\//.exec(url)?.[1];
    return scheme === undefined || scheme === 'http' ? undefined : 'proxy_url scheme must be http';
  },
};

const passwordRule: EntityRule = {
  fields: ['password'],
  check({ password, consumer }) {
    const owner = (consumer as JsonObject | null | undefined)?.id;
    if (typeof password !== 'string' || typeof owner === 'string') return undefined;
    return "all or none of these fields must be set: 'password', 'consumer.id'";
  },
};

/** The shared memory of a Kong that a cache may be kept in. */
const sharedMemory: ReadonlySet<string> = new Set([
  'kong',
  'kong_locks',
  'kong_healthchecks',
  'kong_cluster_events',
  'kong_rate_limiting_counters',
  'kong_core_db_cache',
  'kong_core_db_cache_miss',
  'kong_db_cache',
  'kong_db_cache_miss',
  'kong_secrets',
  'prometheus_metrics',
]);

const cacheRule: EntityRule = {
  fields: ['config'],
  check({ config }) {
    const { strategy, memory } = (config ?? {}) as JsonObject;
    const name = (memory as JsonObject | null | undefined)?.dictionary_name;
    if (strategy !== 'memory' || typeof name !== 'string' || sharedMemory.has(name))
      return undefined;
    return `missing shared dict '${name}'`;
  },
};

const entityRules: Readonly<Record<string, readonly EntityRule[]>> = {
  certificates: [pairRule('cert', 'key'), pairRule('cert_alt', 'key_alt'), alternateRule],
  basicauth_credentials: [passwordRule],
  ca_certificates: [caRule],
  keys: [keyRule],
  routes: [routeRule, emptyExpressionRule],
  'plugin-aws-lambda': [proxySchemeRule],
  'plugin-proxy-cache': [cacheRule],
};

/** Runs the checks that are code in Kong for an entity, adding what they find. */
export function runEntityRules(
  schema: string,
  entity: JsonObject,
  context: RuleContext,
  errors: FieldErrors,
): void {
  for (const rule of entityRules[schema] ?? []) {
    if (rule.fields.some((field) => errors[field] !== undefined)) continue;
    const message = rule.check(entity, context);
    if (message !== undefined) addEntityError(errors, message);
  }
}
