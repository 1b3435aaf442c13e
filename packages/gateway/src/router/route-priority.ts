import type { KongCidrPort, KongRoute } from '@waygate/kong';
import { isEmpty, isStreamRoute } from './route-match.ts';

const plainHostsBit = 1n << 60n;
const regexPathBit = 1n << 51n;
const streamSniBit = 1n << 61n;
const expressionBits = 0xffn << 56n;

/**
 * The rank of a route in the compatible and expressions routers, highest first, as an unsigned 64-bit
 * number. All prefix paths of a route must be of one length here.
 *
 * Kong means to put the number of matched fields in the topmost bits. It shifts plain Lua numbers,
 * though, and such shifts are done in 32 bits: the count lands at bit 29, below "all hosts are plain"
 * and "the path is a regular expression", and from four fields on the sign runs through the whole upper
 * half. A gateway that agrees with Kong has to do the same sums.
 */
export function routePriority(route: KongRoute): bigint {
  if (route.expression !== null && route.expression !== undefined) {
    return expressionBits | BigInt(route.priority ?? 0);
  }
  if (isStreamRoute(route)) return streamPriority(route);
  const headerCount = Object.keys(route.headers ?? {}).length;
  const fields = [
    !isEmpty(route.sources),
    !isEmpty(route.destinations),
    !isEmpty(route.methods),
    !isEmpty(route.hosts),
    headerCount > 0,
    !isEmpty(route.snis),
    !isEmpty(route.paths),
  ];
  const weight = fields.filter(Boolean).length;
  const firstPath = route.paths?.[0];
  const isRegex = firstPath?.startsWith('~') === true;
  const pathLength = firstPath === undefined || isRegex ? 0 : Buffer.byteLength(firstPath, 'utf8');
  const hosts = route.hosts ?? undefined;
  const isPlain = hosts?.every((host) => !host.includes('*')) === true;
  return (
    shift32(weight, 61) |
    shift32(Math.min(headerCount, 255), 52) |
    shift32(isRegex ? (route.regex_priority ?? 0) : 0, 19) |
    BigInt(pathLength & 0x7ffff) |
    (isPlain ? plainHostsBit : 0n) |
    (isRegex ? regexPathBit : 0n)
  );
}

/** A left shift as LuaJIT does it on a number: modulo 32, signed, then widened to 64 bits. */
function shift32(value: number, by: number): bigint {
  return BigInt.asUintN(64, BigInt((value << (by % 32)) | 0));
}

function streamPriority(route: KongRoute): bigint {
  const isSni = !isEmpty(route.snis);
  const isBoth = !isEmpty(route.sources) && !isEmpty(route.destinations);
  const top = isSni || isBoth ? streamSniBit : 0n;
  return top | (netWeight(route.sources) << 4n) | netWeight(route.destinations);
}

/** An address weighs more than a port, a port more than a block of addresses. */
function netWeight(nets: readonly KongCidrPort[] | null | undefined): bigint {
  let weight = 0n;
  for (const net of nets ?? []) {
    if (net.ip !== undefined && net.ip !== null) weight |= net.ip.includes('/') ? 1n : 8n;
    if (net.port !== undefined && net.port !== null) weight |= 4n;
  }
  return weight;
}
