/** Feature gates that one side of the program knows, and what a value of each has to say. */
export interface FeatureGates {
  /** Those that do something. */
  readonly acting: readonly string[];
  /** Those that are taken so that command lines keep working; each says why it does nothing. */
  readonly withoutEffect: Readonly<Record<string, string>>;
}

/** What the gates on a command line say to one side. */
export interface ReadGates {
  /** Of those that act. */
  readonly values: ReadonlyMap<string, boolean>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads gates, each `name=true` or `name=false`. `others` are gates of another side, which shares the
 * flag: they are no problem of this one.
 *
 * ```ts
 * const known = { acting: ['FallbackConfiguration'], withoutEffect: { OldThing: 'it is always on' } };
 * readGates(['FallbackConfiguration=true', 'NoSuch=true'], known).problems; // ['there is no feature gate NoSuch']
 * ```
 */
export function readGates(
  gates: readonly string[],
  known: FeatureGates,
  others: readonly string[] = [],
): ReadGates {
  const values = new Map<string, boolean>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const gate of gates) {
    const [name = '', value = ''] = gate.split('=').map((part) => part.trim());
    if (!/^(?:true|false|1|0|t|f)$/iu.test(value))
      problems.push(`the feature gate ${name} must be true or false, as in ${name}=true`);
    else if (known.acting.includes(name)) values.set(name, /^(?:true|1|t)$/iu.test(value));
    else if (Object.hasOwn(known.withoutEffect, name))
      warnings.push(`the feature gate ${name} has no effect: ${known.withoutEffect[name]}`);
    else if (!others.includes(name)) problems.push(`there is no feature gate ${name}`);
  }
  return { values, problems, warnings };
}

/**
 * The names of all gates that a side knows.
 *
 * ```ts
 * gateNames({ acting: ['FillIDs'], withoutEffect: { Old: 'always on' } }); // ['FillIDs', 'Old']
 * ```
 */
export function gateNames({ acting, withoutEffect }: FeatureGates): readonly string[] {
  return [...acting, ...Object.keys(withoutEffect)];
}
