import type { DeclarativeConfig } from '../entity/declarative-config.ts';
import { type Conversion, convertToVersion3 } from './convert-config.ts';
import { convertTo310, convertTo314 } from './convert-releases.ts';
import { gatherConfig } from './gather-config.ts';

function gather(formatVersion: '1.1' | '3.0') {
  return (config: DeclarativeConfig): Conversion => ({
    config: gatherConfig(config, formatVersion),
    changes: [],
  });
}

/** What can be turned into what, as decK names the formats. */
const conversions: Readonly<Record<string, (config: DeclarativeConfig) => Conversion>> = {
  'kong-gateway-2.x kong-gateway-3.x': (config) => convertToVersion3(config),
  'distributed kong-gateway': gather('3.0'),
  'distributed kong-gateway-3.x': gather('3.0'),
  'distributed kong-gateway-2.x': gather('1.1'),
  '3.4 3.10': convertTo310,
  '3.10 3.14': convertTo314,
};

/** The pairs of formats that files can be turned from and into, as decK names them. */
export const conversionPairs: readonly (readonly [from: string, to: string])[] = Object.keys(
  conversions,
).map((pair) => pair.split(' ') as [string, string]);

/**
 * How a file is turned from one format into another; undefined where it cannot be.
 *
 * ```ts
 * findConversion('3.10', '3.14')?.({ routes: [{ name: 'a' }] }).changes.length; // 1
 * findConversion('kong-gateway', 'konnect'); // undefined
 * ```
 */
export function findConversion(
  from: string,
  to: string,
): ((config: DeclarativeConfig) => Conversion) | undefined {
  const pair = `${from} ${to}`;
  return Object.hasOwn(conversions, pair) ? conversions[pair] : undefined;
}
