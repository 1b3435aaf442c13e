import { LooseVersion, VersionError, VersionRange } from '@waygate/text';
import { type FunctionTable, fn, of, str } from '../go/define.ts';
import { GoError, type GoFunction } from '../go/function.ts';
import { type GoType, pointerTo, uint64Type } from '../go/type.ts';
import { GoInt, GoObject, type GoValue, goInt } from '../go/value.ts';

/** `semver` and `semverCompare`, as Masterminds reads versions and ranges. */
export const versionFunctions: FunctionTable = {
  semver: fn(
    [str],
    (_, text) =>
      new GoVersion(
        parsed(() => LooseVersion.parse(text)),
        true,
      ),
  ),
  semverCompare: fn([str, str], (_, range, text) => {
    const constraint = parsed(() => new VersionRange(range));
    return constraint.includes(parsed(() => LooseVersion.parse(text)));
  }),
};

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof VersionError) throw new GoError(error.message);
    throw error;
  }
}

type Method = (receiver: GoValue) => GoFunction;

function versionOf(receiver: GoValue): LooseVersion {
  return (receiver as GoVersion).version;
}

const valueMethods = new Map<string, Method>();
const pointerMethods = new Map<string, Method>();

const versionType: GoType = {
  name: 'semver.Version',
  kind: 'struct',
  methods: valueMethods,
  text: (value) => versionOf(value).toString(),
};
const versionPointer: GoType = { ...pointerTo(versionType), methods: pointerMethods };

/** A version as templates see it: what `semver` gives is a pointer, what `IncMajor` gives is none. */
class GoVersion extends GoObject {
  readonly version: LooseVersion;

  constructor(version: LooseVersion, isPointer: boolean) {
    const uint = (value: bigint): GoInt => new GoInt(uint64Type, value);
    super(isPointer ? versionPointer : versionType, [
      { name: 'major', value: uint(version.major) },
      { name: 'minor', value: uint(version.minor) },
      { name: 'patch', value: uint(version.patch) },
      { name: 'pre', value: version.prerelease },
      { name: 'metadata', value: version.metadata },
      { name: 'original', value: version.original },
    ]);
    this.version = version;
  }

  override json(): GoValue {
    return this.version.toString();
  }

  override copy(): GoVersion {
    const none = { major: 0n, minor: 0n, patch: 0n, prerelease: '', metadata: '', original: '' };
    return new GoVersion(new LooseVersion(none), this.type.kind === 'ptr');
  }
}

for (const [name, part] of [
  ['Major', 'major'],
  ['Minor', 'minor'],
  ['Patch', 'patch'],
] as const) {
  valueMethods.set(name, (receiver) =>
    fn([], () => new GoInt(uint64Type, versionOf(receiver)[part])),
  );
  valueMethods.set(`Inc${name}`, (receiver) =>
    fn([], () => new GoVersion(versionOf(receiver).next(part), false)),
  );
}
for (const [name, part] of [
  ['Prerelease', 'prerelease'],
  ['Metadata', 'metadata'],
] as const) {
  valueMethods.set(name, (receiver) => fn([], () => versionOf(receiver)[part]));
  valueMethods.set(`Set${name}`, (receiver) =>
    fn(
      [str],
      (_, text) =>
        new GoVersion(
          parsed(() => versionOf(receiver).with(part, text)),
          false,
        ),
    ),
  );
}
valueMethods.set('String', (receiver) => fn([], () => versionOf(receiver).toString()));
for (const [name, method] of valueMethods) pointerMethods.set(name, method);

pointerMethods.set('Original', (receiver) => fn([], () => versionOf(receiver).original));
pointerMethods.set('Compare', (receiver) =>
  fn([of<GoVersion>(versionPointer)], (_, other) =>
    goInt(versionOf(receiver).compare(other.version)),
  ),
);
for (const [name, holds] of [
  ['LessThan', (order: number) => order < 0],
  ['LessThanEqual', (order: number) => order <= 0],
  ['GreaterThan', (order: number) => order > 0],
  ['GreaterThanEqual', (order: number) => order >= 0],
  ['Equal', (order: number) => order === 0],
] as const) {
  pointerMethods.set(name, (receiver) =>
    fn([of<GoVersion>(versionPointer)], (_, other) =>
      holds(versionOf(receiver).compare(other.version)),
    ),
  );
}
