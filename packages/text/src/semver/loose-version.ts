/**
 * A version as Masterminds' semver reads it, which Helm and Flux use: a `v` before it and missing parts
 * are let pass.
 *
 * ```ts
 * LooseVersion.parse('v1.2').toString(); // '1.2.0'
 * ```
 */
export class LooseVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: string;
  readonly metadata: string;
  /** As it was written. */
  readonly original: string;

  constructor(parts: {
    readonly major: bigint;
    readonly minor: bigint;
    readonly patch: bigint;
    readonly prerelease?: string;
    readonly metadata?: string;
    readonly original?: string;
  }) {
    this.major = parts.major;
    this.minor = parts.minor;
    this.patch = parts.patch;
    this.prerelease = parts.prerelease ?? '';
    this.metadata = parts.metadata ?? '';
    this.original = parts.original ?? this.toString();
  }

  /** @throws VersionError in Masterminds' words */
  static parse(text: string): LooseVersion {
    if (Buffer.byteLength(text) > maxVersionBytes) {
      throw new VersionError(`version string is too long (max ${maxVersionBytes} bytes)`);
    }
    const match = pattern.exec(text);
    if (match === null) throw new VersionError('invalid semantic version');
    const [, major = '', minor, patch, prerelease = '', metadata = ''] = match;
    const numbers = {
      major: segment(major),
      minor: minor === undefined ? 0n : segment(minor),
      patch: patch === undefined ? 0n : segment(patch),
    };
    checkPrerelease(prerelease);
    return new LooseVersion({ ...numbers, prerelease, metadata, original: text });
  }

  /** The version, or undefined when the text is none. */
  static read(text: string): LooseVersion | undefined {
    return orNothing(() => LooseVersion.parse(text));
  }

  toString(): string {
    const { prerelease, metadata } = this;
    const numbers = `${this.major}.${this.minor}.${this.patch}`;
    return numbers + (prerelease && `-${prerelease}`) + (metadata && `+${metadata}`);
  }

  /** Negative, 0 or positive; metadata does not count. */
  compare(other: LooseVersion): number {
    const numbers =
      order(this.major, other.major) ||
      order(this.minor, other.minor) ||
      order(this.patch, other.patch);
    if (numbers !== 0 || this.prerelease === other.prerelease) return numbers;
    if (this.prerelease === '') return 1;
    return other.prerelease === '' ? -1 : comparePrereleases(this.prerelease, other.prerelease);
  }

  /** The next version, without what follows the numbers. The next patch of a prerelease is its release. */
  next(part: 'major' | 'minor' | 'patch'): LooseVersion {
    const { major, minor, patch } = this;
    const numbers = {
      major: { major: major + 1n, minor: 0n, patch: 0n },
      minor: { major, minor: minor + 1n, patch: 0n },
      patch: { major, minor, patch: this.prerelease === '' ? patch + 1n : patch },
    }[part];
    const { major: a, minor: b, patch: c } = numbers;
    const prefix = this.original.startsWith('v') ? 'v' : '';
    return new LooseVersion({ ...numbers, original: `${prefix}${a}.${b}.${c}` });
  }

  /** The same with another prerelease or other metadata. @throws VersionError */
  with(part: 'prerelease' | 'metadata', text: string): LooseVersion {
    if (part === 'prerelease') checkPrerelease(text);
    else if (text !== '' && !identifiers.test(text))
      throw new VersionError('invalid metadata string');
    const changed = new LooseVersion({ ...this, [part]: text });
    const prefix = this.original.startsWith('v') ? 'v' : '';
    return new LooseVersion({ ...changed, original: prefix + changed.toString() });
  }
}

/**
 * A text that is no version or no constraint.
 *
 * ```ts
 * LooseVersion.read('one'); // undefined, where parse throws this error
 * ```
 */
export class VersionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'VersionError';
  }
}

/** What was read, or undefined where it was refused in words. */
export function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof VersionError) return undefined;
    throw error;
  }
}

const maxVersionBytes = 256;
const pattern =
  /^v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;
const identifiers = /^[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*$/;

function segment(text: string): bigint {
  const value = BigInt(text);
  if (value < 1n << 64n) return value;
  throw new VersionError(
    `error parsing version segment: strconv.ParseUint: parsing "${text}": value out of range`,
  );
}

function checkPrerelease(text: string): void {
  if (text === '') return;
  if (!identifiers.test(text)) throw new VersionError('invalid prerelease string');
  if (text.split('.').some((part) => /^0[0-9]+$/.test(part))) {
    throw new VersionError('version segment starts with 0');
  }
}

function order(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Numbers by size and before words, words by their bytes; the shorter of two alike comes first. */
export function comparePrereleases(a: string, b: string): number {
  const ones = a.split('.');
  const others = b.split('.');
  for (let at = 0; at < Math.max(ones.length, others.length); at += 1) {
    const found = comparePart(ones[at] ?? '', others[at] ?? '');
    if (found !== 0) return found;
  }
  return 0;
}

function comparePart(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '') return -1;
  if (other === '') return 1;
  const isNumber = isUint64(one);
  const isOtherNumber = isUint64(other);
  if (!isNumber && !isOtherNumber) return one > other ? 1 : -1;
  if (!isOtherNumber) return -1;
  if (!isNumber) return 1;
  return BigInt(one) > BigInt(other) ? 1 : -1;
}

function isUint64(text: string): boolean {
  return /^[0-9]{1,20}$/.test(text) && BigInt(text) < 1n << 64n;
}
