import { parseGoDuration } from '../values/time.ts';

const second = 1_000_000_000n;

/** Units by their short names, and by what a longer name may begin with. */
const units: readonly (readonly [names: readonly string[], prefix: string, nanoseconds: bigint])[] =
  [
    [['ns'], 'nano', 1n],
    [['us', 'µs'], 'micro', 1_000n],
    [['ms'], 'milli', 1_000_000n],
    [['s'], 'sec', second],
    [['m'], 'min', 60n * second],
    [['h', 'hr'], 'hour', 3600n * second],
    [['d'], 'day', 86_400n * second],
    [['w', 'wk'], 'week', 604_800n * second],
  ];

/**
 * A duration as the OpenAPI format has it: Go's, or words such as `3 days`; in nanoseconds.
 *
 * ```ts
 * parseOpenApiDuration('2 days'); // 172_800_000_000_000n
 * ```
 */
export function parseOpenApiDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, count = '', word = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase();
    for (const [names, prefix, size] of units) {
      if (names.includes(unit) || unit.startsWith(prefix))
        total = (total ?? 0n) + BigInt(count) * size;
    }
  }
  return total === undefined ? undefined : BigInt.asIntN(64, total);
}
