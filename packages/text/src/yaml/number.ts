/**
 * A number as Go's yaml prints it: integers of 64 bits plainly; others with the shortest digits, and with an
 * exponent of at least two digits from 10^6 up and below 10^-4.
 */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (value === Number.POSITIVE_INFINITY) return '.inf';
  if (value === Number.NEGATIVE_INFINITY) return '-.inf';
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 64) return BigInt(value).toString();
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 6) {
    const digits = Math.abs(exponent).toString().padStart(2, '0');
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  // toString is plain decimal between 10^-6 and 10^21.
  return value.toString();
}
