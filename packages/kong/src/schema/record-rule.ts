import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JsonObject, JsonValue } from '../entity/entities.ts';

/**
 * Rules over a whole record or list that Kong has as code: each returns the message for a value that
 * breaks it, which is then the error of the field.
 */
export type RecordRule = (record: JsonObject) => string | undefined;
export type ListRule = (list: readonly JsonValue[]) => string | undefined;

const periods = ['second', 'minute', 'hour', 'day', 'month', 'year'] as const;

/** A longer period must not allow less than a shorter one. */
function periodsOrder(record: JsonObject): string | undefined {
  for (const [index, shorter] of periods.entries()) {
    const low = record[shorter];
    if (typeof low !== 'number') continue;
    for (const longer of periods.slice(index + 1)) {
      const high = record[longer];
      if (typeof high === 'number' && high < low) {
        return `The limit for ${longer}(${high.toFixed(1)}) cannot be lower than the limit for ${shorter}(${low.toFixed(1)})`;
      }
    }
  }
  return undefined;
}

function rateLimiting(config: JsonObject): string | undefined {
  const order = periodsOrder(config);
  if (order !== undefined) return order;
  const syncRate = config.sync_rate ?? -1;
  if (config.policy !== 'redis' && syncRate !== -1) {
    return 'sync_rate can only be used with redis policy';
  }
  if (typeof syncRate === 'number' && syncRate !== -1 && syncRate < 0.02) {
    return "Config option 'sync_rate' must not be less than 0.02";
  }
  return undefined;
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function requestTermination(config: JsonObject): string | undefined {
  if (isText(config.message) && (isText(config.content_type) || isText(config.body))) {
    return 'message cannot be used with content_type or body';
  }
  if (isText(config.content_type) && !isText(config.body)) return 'content_type requires a body';
  return undefined;
}

const grantFlags = [
  'enable_authorization_code',
  'enable_implicit_grant',
  'enable_client_credentials',
  'enable_password_grant',
] as const;

function oauth2(config: JsonObject): string | undefined {
  if (grantFlags.some((flag) => config[flag] === true)) return undefined;
  return `at least one of these fields must be true: ${grantFlags.join(', ')}`;
}

function loadKey(
  load: (text: string) => KeyObject,
  text: JsonValue | undefined,
): KeyObject | undefined {
  try {
    return typeof text === 'string' ? load(text) : undefined;
  } catch {
    return undefined;
  }
}

function isReference(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.startsWith('{vault://');
}

/** A pair of keys in PEM form: each must load, and they must belong together. */
function pemKeys({ private_key, public_key }: JsonObject): string | undefined {
  if (isReference(private_key) || isReference(public_key)) return undefined;
  const publicKey = loadKey(createPublicKey, public_key);
  if (isText(public_key) && publicKey === undefined) return 'could not load public key';
  const privateKey = loadKey(createPrivateKey, private_key);
  if (isText(private_key) && privateKey === undefined) {
    return 'could not load private keypkey.new:load_key: error:1E08010C:DECODER routines:OSSL_DECODER_from_bio:unsupported:crypto/encode_decode/decoder_lib.c:103:';
  }
  if (publicKey === undefined || privateKey === undefined) return undefined;
  const form = { format: 'pem', type: 'spki' } as const;
  const own = createPublicKey(privateKey).export(form);
  return own === publicKey.export(form) ? undefined : 'public key does not match private key';
}

function distinctTagNames(tags: readonly JsonValue[]): string | undefined {
  const names = new Set<JsonValue | undefined>();
  for (const tag of tags) {
    const name = (tag as JsonObject | null)?.name;
    if (names.has(name)) return `repeated tags are not allowed: ${String(name)}`;
    names.add(name);
  }
  return undefined;
}

const listRules: Readonly<Record<string, Readonly<Record<string, ListRule>>>> = {
  'plugin-zipkin': { 'config.static_tags': distinctTagNames },
};

/** The rule for the list at a path of a schema. */
export function listRuleOf(schema: string, path: string): ListRule | undefined {
  return listRules[schema]?.[path];
}

const recordRules: Readonly<Record<string, Readonly<Record<string, RecordRule>>>> = {
  keys: { pem: pemKeys },
  'plugin-rate-limiting': { config: rateLimiting },
  'plugin-response-ratelimiting': { 'config.limits.*': periodsOrder },
  'plugin-request-termination': { config: requestTermination },
  'plugin-oauth2': { config: oauth2 },
};

/** The rule for the record at a path of a schema. */
export function recordRuleOf(schema: string, path: string): RecordRule | undefined {
  return recordRules[schema]?.[path];
}
