import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { isIpOrCidr, normalizeHost } from './host-name.ts';
import { findRegexError, pcreErrorText } from './regex-syntax.ts';
import { normalizePath } from './uri-path.ts';

/**
 * Rules for texts that Kong has as code rather than as data in its schemas. Each returns the
 * message for a text that breaks it.
 */
export type FormatRule = (text: string) => string | undefined;

function host(text: string): string | undefined {
  const result = normalizeHost(text);
  if (!result.isValid) {
    return result.message === 'invalid port number'
      ? 'must not have a port'
      : `invalid value: ${text}`;
  }
  return result.host.port === undefined ? undefined : 'must not have a port';
}

function hostWithOptionalPort(text: string): string | undefined {
  const result = normalizeHost(text);
  return result.isValid ? undefined : result.message;
}

function sni(text: string): string | undefined {
  const result = normalizeHost(text);
  if (!result.isValid) {
    return result.message === 'invalid port number'
      ? 'must not have a port'
      : `invalid value: ${text}`;
  }
  if (result.host.type !== 'name') return 'must not be an IP';
  return result.host.port === undefined ? undefined : 'must not have a port';
}

function wildcardHost(text: string): string | undefined {
  const star = text.indexOf('*');
  if (star === -1) return sni(text);
  if (star !== 0 && star !== text.length - 1) {
    return 'wildcard must be leftmost or rightmost character';
  }
  if (text.indexOf('*', star + 1) !== -1) return 'only one wildcard must be specified';
  return sni(text.replace('*', 'wildcard'));
}

/** The part of a path that is wrongly percent-encoded, or undefined. */
function badEncoding(text: string): string | undefined {
  const rest = text.replace(/%[0-9a-fA-F]{2}/g, '___');
  const broken = /%.?.?/.exec(rest)?.[0];
  return broken === undefined ? undefined : `invalid url-encoded value: '${broken}'`;
}

const reservedPath = /^\/[A-Za-z0-9.\-_~/%:@!$&'()*+,;=]*$/;

function path(text: string): string | undefined {
  if (!reservedPath.test(text)) {
    return `invalid path: '${text}' (characters outside of the reserved list of RFC 3986 found)`;
  }
  return badEncoding(text);
}

function routerPath(text: string): string | undefined {
  if (reservedPath.test(text)) {
    const broken = badEncoding(text);
    if (broken !== undefined) return broken;
  }
  if (!text.startsWith('~')) {
    const normalized = normalizePath(text);
    if (normalized === text) return undefined;
    return `non-normalized path, consider use '${normalized}' instead`;
  }
  const expression = text.slice(1);
  const error = findRegexError(expression);
  if (error === undefined) return undefined;
  return `invalid regex: '${expression}' (PCRE returned: ${pcreErrorText(expression, error)})`;
}

/** Sent as UTF-8, a lone surrogate is not valid: JSON may still carry one. */
function malformedUnicode(text: string): string | undefined {
  if (!/[\uD800-\uDFFF]/.test(text)) return undefined;
  const index = [...text].findIndex((character) => /^[\uD800-\uDFFF]$/.test(character));
  if (index === -1) return undefined;
  return `invalid utf-8 character sequence detected at position ${index + 1}`;
}

function tag(text: string): string | undefined {
  const malformed = malformedUnicode(text);
  if (malformed !== undefined) return malformed;
  if (/^[ !-+\-.0-~\u0080-\u{10ffff}]+$/u.test(text)) return undefined;
  return `invalid tag '${text}': expected printable ascii (except \`,\` and \`/\`) or valid utf-8 sequences`;
}

/** Whether a text may be the name of a service, route and so on. */
function utf8Name(text: string): string | undefined {
  const malformed = malformedUnicode(text);
  if (malformed !== undefined) return malformed;
  if (/^[A-Za-z0-9.\-_~\u0080-\u{10ffff}]+$/u.test(text)) return undefined;
  return `invalid value '${text}': the only accepted ascii characters are alphanumerics or ., -, _, and ~`;
}

function headerName(text: string): string | undefined {
  if (/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  return `bad header name '${text}', allowed characters are A-Z, a-z, 0-9, '_', and '-'`;
}

function cookieName(text: string): string | undefined {
  if (/^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/.test(text)) return undefined;
  return `invalid cookie name '${text}', allowed characters are A-Z, a-z, 0-9, '_', and '-'`;
}

function ipOrCidr(text: string): string | undefined {
  return isIpOrCidr(text) ? undefined : `invalid ip or cidr range: '${text}'`;
}

function url(text: string): string | undefined {
  const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?/.exec(text);
  const authority = parts?.[2]?.replace(/^.*@/, '').replace(/:\d*$/, '');
  if (authority === undefined || authority === '') return 'missing host in url';
  return parts?.[1] === undefined ? 'missing scheme in url' : undefined;
}

function upstreamName(text: string): string | undefined {
  const result = normalizeHost(text);
  if (!result.isValid) return `Invalid name ('${text}'); must be a valid hostname`;
  if (result.host.type !== 'name') return `Invalid name ('${text}'); no ip addresses allowed`;
  return result.host.port === undefined ? undefined : `Invalid name ('${text}'); no port allowed`;
}

function target(text: string): string | undefined {
  return normalizeHost(text).isValid
    ? undefined
    : `Invalid target ('${text}'); not a valid hostname or ip address`;
}

function certificate(text: string): string | undefined {
  try {
    new X509Certificate(text);
    return undefined;
  } catch {
    return 'invalid certificate: x509.new: error:680008E:asn1 encoding routines:asn1_d2i_read_bio:not enough data:crypto/asn1/a_d2i_fp.c:283:';
  }
}

function isPrivateKey(text: string): boolean {
  try {
    createPrivateKey(text);
    return true;
  } catch {
    return false;
  }
}

function isPublicKey(text: string): boolean {
  try {
    createPublicKey(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a key is one that only somebody with its passphrase can read; nobody is asked for one. */
function isEncryptedKey(text: string): boolean {
  return /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: *4,ENCRYPTED/mu.test(text);
}

function privateKey(text: string): string | undefined {
  if (isPrivateKey(text) || isPublicKey(text)) return undefined;
  if (isEncryptedKey(text)) {
    return 'invalid key: pkey.new:load_key: error:4800068:PEM routines::bad password read: the key is encrypted';
  }
  return 'invalid key: pkey.new:load_key: error:1E08010C:DECODER routines:OSSL_DECODER_from_bio:unsupported:crypto/encode_decode/decoder_lib.c:103:';
}

function publicKey(text: string): string | undefined {
  return isPublicKey(text) ? undefined : 'invalid key';
}

function redirectUri(text: string): string | undefined {
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/[^/?#]+/.exec(text);
  if (parts === null) return `cannot parse '${text}'`;
  return text.includes('#') ? `fragment not allowed in '${text}'` : undefined;
}

function corsOrigin(text: string): string | undefined {
  if (text === '*') return undefined;
  return findRegexError(text) === undefined ? undefined : `'${text}' is not a valid regex`;
}

function headerPair(isValueHeader: boolean): FormatRule {
  return (text) => {
    const [, name = '', value = ''] = /^([^:]*):*(.*)$/s.exec(text) ?? [];
    if (headerName(name) !== undefined) return `'${name}' is not a valid header`;
    if (isValueHeader && headerName(value) !== undefined) return `'${value}' is not a valid header`;
    return undefined;
  };
}

/** All rules by name, for the table of fields that have one. */
export const formatRules = {
  host,
  hostWithOptionalPort,
  /** A host of a route: the wildcard's place is said by the schema itself. */
  routeHost: (text: string) => hostWithOptionalPort(text.replaceAll('*', 'abc')),
  sni,
  wildcardHost,
  path,
  routerPath,
  tag,
  utf8Name,
  headerName,
  cookieName,
  ipOrCidr,
  url,
  upstreamName,
  target,
  certificate,
  privateKey,
  publicKey,
  redirectUri,
  corsOrigin,
  headerPair: headerPair(false),
  headerRename: headerPair(true),
} as const satisfies Readonly<Record<string, FormatRule>>;

export type FormatName = keyof typeof formatRules;
