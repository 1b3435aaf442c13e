/** The version that the embedded gateway is. */
const gatewayVersion = [3, 9, 1] as const;

/** Whether a range such as `>=3.0.0 <3.10.0` holds the version of the gateway. */
function isInRange(range: string): boolean {
  return range.split(/\s+/).every((part) => {
    const match = /^(>=|<=|>|<|==?)(\d+)\.(\d+)\.(\d+)$/.exec(part);
    if (match === null) return false;
    const other = match.slice(2).map(Number);
    const place = gatewayVersion.findIndex((number, index) => number !== other[index]);
    const order = place === -1 ? 0 : (gatewayVersion[place] as number) - (other[place] as number);
    switch (match[1]) {
      case '>=':
        return order >= 0;
      case '<=':
        return order <= 0;
      case '>':
        return order > 0;
      case '<':
        return order < 0;
      default:
        return order === 0;
    }
  });
}

/**
 * Whether a test runs on the open-source edition of the version that the embedded gateway is. Where
 * the conditions of several tests stand together, one that fits is enough: its files are in the
 * format of all versions from 3.0 on.
 */
export function isForThisKong(appliesTo: readonly string[], params: unknown = {}): boolean {
  const named = appliesTo.find((condition) => /^case: [<>=]/.test(condition))?.slice(6);
  return appliesTo.some((condition) => {
    const match = /^runWhen(?:KongOrKonnect)?\(t, (?:"kong", )?(?:"([^"]*)"|tc\.(\w+))\)$/.exec(
      condition,
    );
    if (match === null) return false;
    // The range may stand with the parameters of the case.
    const given =
      match[2] === undefined ? undefined : (params as Record<string, unknown>)[match[2]];
    const range = match[1] ?? named ?? (typeof given === 'string' ? given : undefined);
    return range === undefined || isInRange(range);
  });
}
