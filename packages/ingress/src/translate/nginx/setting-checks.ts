import { createSecureContext } from 'node:tls';
import { unknownNginxVariable } from '@waygate/kong';
import { isAddressOrNetwork } from '@waygate/text';
import { isRunnable } from './runnable-pattern.ts';

type Check = (value: string) => boolean;

/** Longer values are nobody's settings. */
const maxLength = 65_536;

const headerName: Check = (value) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value);

/** Of `error timeout http_502` and so on each word. */
const retryWords =
  /^((error|timeout|invalid_header|http_(500|502|503|504|403|404|429)|non_idempotent|off)\s*)*$/;

/**
 * What the values of settings must be like, or each entry of those that are lists. A value that is not
 * is not set: one that the gateway would refuse would keep everybody's changes from coming into force.
 */
const checks: Readonly<Record<string, Check>> = {
  'forwarded-for-header': headerName,
  'forwarded-host-header': headerName,
  'hide-headers': headerName,
  'proxy-next-upstream': (value) => retryWords.test(value),
  'proxy-real-ip-cidr': isAddressOrNetwork,
  'block-cidrs': isAddressOrNetwork,
  'block-user-agents': isClientPattern,
  'block-referers': isClientPattern,
  'proxy-redirect-from': isPlain,
  'proxy-redirect-to': isPlain,
  'proxy-cookie-domain': isPair,
  'proxy-cookie-path': isPair,
  'limit-conn-zone-variable': hasKnownVariables,
  'global-auth-signin': hasKnownVariables,
  'global-auth-request-redirect': hasKnownVariables,
  'global-auth-cache-key': hasKnownVariables,
  'hsts-max-age': (value) => /^\d{1,10}$/.test(value) && Number(value) < 2 ** 31,
  'ssl-ciphers': areCiphers,
};

/** Whether a value, or an entry of a list, is one for this setting. Snippets may have several lines. */
export function isSettingValue(key: string, value: string): boolean {
  if (value.length > maxLength || value.includes('\0')) return false;
  // Nothing in a value can begin another header or directive.
  const isOneLine = key.endsWith('-snippet') || !/[\r\n]/.test(value);
  return isOneLine && (checks[key]?.(value) ?? true);
}

function hasKnownVariables(value: string): boolean {
  return unknownNginxVariable(value) === undefined;
}

function isPlain(value: string): boolean {
  return /^[^\s,;]*$/.test(value);
}

/** What to look for, and what to put in its place; or a word such as `off`. */
function isPair(value: string): boolean {
  return /^[^\s,;]*(\s+[^\s,;]+)?$/.test(value);
}

function areCiphers(value: string): boolean {
  if (!/^[A-Za-z0-9+:_\-!@=.]*$/.test(value)) return false;
  try {
    if (value !== '') createSecureContext({ ciphers: value });
    return true;
  } catch {
    // OpenSSL knows none of them.
    return false;
  }
}

/** As a key of nginx' `map`: `~pattern`, `~*pattern`, or the text itself. */
function isClientPattern(value: string): boolean {
  return !value.startsWith('~') || isRunnable(value.replace(/^~\*?/, ''), 'pcre');
}
