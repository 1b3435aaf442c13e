import { expect, test } from 'vitest';
import { kubernetesDeclarations } from '../kubernetes.ts';
import { compileCel } from '../program.ts';
import { CelFailure, CelUint } from '../values/value.ts';

function evaluated(expression: string): unknown {
  const checked = compileCel(expression, kubernetesDeclarations);
  if ('issues' in checked) return checked.issues;
  const program = checked.program(kubernetesDeclarations);
  if (program instanceof CelFailure) return program.message;
  const { value } = program.evaluate(() => undefined);
  if (value instanceof CelFailure) return value.message;
  return value instanceof CelUint ? `${value.value}u` : value;
}

const [int, uint] = ['integer overflow', 'unsigned integer overflow'];
const not = (from: string, to: string) => `type conversion error from '${from}' to '${to}'`;

// The edges of each type, as the language's definition and its Go implementation have them.
test.each<[string, unknown]>([
  ['int(1.9)', 1n],
  ['int(-1.9)', -1n],
  ['int(9223372036854774784.0)', 9223372036854774784n],
  ['int(9223372036854775808.0)', int],
  ['int(1.0e19)', int],
  ['int(-9223372036854775808.0)', int],
  ['int(-9223372036854774784.0)', -9223372036854774784n],
  ["int(double('NaN'))", int],
  ["int(double('inf'))", int],
  ['int(9223372036854775807u)', 9223372036854775807n],
  ['int(9223372036854775808u)', int],
  ["int('9223372036854775807')", 9223372036854775807n],
  ["int('9223372036854775808')", not('string', 'int')],
  ["int('-9223372036854775808')", -9223372036854775808n],
  ["int('+7')", 7n],
  ["int('7.0')", not('string', 'int')],
  ["int('')", not('string', 'int')],
  ["int(timestamp('1970-01-01T00:00:01.9Z'))", 1n],
  ["int(timestamp('1969-12-31T23:59:58.5Z'))", -2n],
  ['uint(0)', '0u'],
  ['uint(-1)', uint],
  ['uint(1.9)', '1u'],
  ['uint(-0.5)', uint],
  ['uint(18446744073709549568.0)', '18446744073709549568u'],
  ['uint(18446744073709551616.0)', uint],
  ["uint('18446744073709551615')", '18446744073709551615u'],
  ["uint('18446744073709551616')", not('string', 'uint')],
  ["uint('-1')", not('string', 'uint')],
  ['double(3)', 3],
  ['double(3u)', 3],
  ["double('1e3')", 1000],
  ["double('.5')", 0.5],
  ["double('1.')", 1],
  ["double('-inf')", Number.NEGATIVE_INFINITY],
  ["double('Infinity')", Number.POSITIVE_INFINITY],
  ["double('nan')", Number.NaN],
  ["double('1e999')", not('string', 'double')],
  ["double('0x10')", not('string', 'double')],
  ["double('e1')", not('string', 'double')],
  ["bool('t')", true],
  ["bool('True')", true],
  ["bool('1')", true],
  ["bool('F')", false],
  ["bool('0')", false],
  ["bool('false')", false],
  ["bool('yes')", not('string', 'bool')],
  ["bool('tRUE')", not('string', 'bool')],
  ['string(1.0)', '1'],
  ['string(7u)', '7'],
  ['string(true)', 'true'],
  ["string(duration('90s'))", '90s'],
  ["string(timestamp('2024-01-02T03:04:05Z'))", '2024-01-02T03:04:05Z'],
  ["string(b'\\303\\251')", 'é'],
  ["string(b'\\xff')", 'invalid UTF-8 in bytes, cannot convert to string'],
  ["size('héé🚀')", 4n],
  ["size(bytes('é'))", 2n],
  ['size([1, 2])', 2n],
  ["size({'a': 1})", 1n],
])('%s', (expression, expected) => {
  expect(evaluated(expression)).toEqual(expected);
});
