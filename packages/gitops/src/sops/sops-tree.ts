/** A comment of a file, without its mark. */
export interface SopsComment {
  readonly comment: string;
}

export interface SopsPair {
  readonly key: string;
  readonly value: SopsValue;
}

export type SopsScalar = string | number | bigint | boolean | null;

/** A mapping in the order of the file, which the checksum of the file depends on. */
export interface SopsBranch {
  readonly items: readonly (SopsPair | SopsComment)[];
}

export type SopsValue = SopsScalar | SopsBranch | readonly (SopsValue | SopsComment)[];

/** A number that must print with a fraction or exponent, as the cipher says its type. */
export function isBranch(value: SopsValue | SopsComment): value is SopsBranch {
  return typeof value === 'object' && value !== null && 'items' in value;
}

export function isComment(value: SopsValue | SopsPair | SopsComment): value is SopsComment {
  return typeof value === 'object' && value !== null && 'comment' in value;
}

/** As plain data, without comments. */
export function toPlain(value: SopsValue): unknown {
  if (Array.isArray(value)) {
    return (value as readonly (SopsValue | SopsComment)[])
      .filter((one): one is SopsValue => !isComment(one))
      .map(toPlain);
  }
  if (!isBranch(value as SopsValue)) return value;
  const plain: Record<string, unknown> = {};
  for (const item of (value as SopsBranch).items) {
    if (isComment(item)) continue;
    Object.defineProperty(plain, item.key, {
      value: toPlain(item.value),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return plain;
}

/** Plain data as a tree; the order of its keys is what it is. */
export function fromPlain(value: unknown): SopsValue {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (typeof value === 'object' && value !== null) {
    return { items: Object.entries(value).map(([key, one]) => ({ key, value: fromPlain(one) })) };
  }
  return value as SopsScalar;
}

/** A mapping without one of its keys. */
export function without(branch: SopsBranch, key: string): SopsBranch {
  return { items: branch.items.filter((item) => isComment(item) || item.key !== key) };
}

export function valueOfKey(branch: SopsBranch, key: string): SopsValue | undefined {
  for (const item of branch.items) if (!isComment(item) && item.key === key) return item.value;
  return undefined;
}
