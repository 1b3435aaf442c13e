import {
  CelFailure,
  type CelLibrary,
  type CelResult,
  type CelType,
  type CelValue,
  celTypes,
  overload,
  ValueMap,
} from '@waygate/text';

const { dynType, stringType, structType } = celTypes;

const patchFields = new Map<string, CelType>([
  ['op', stringType],
  ['path', stringType],
  ['from', stringType],
  ['value', dynType],
]);

/** Types without a schema, whose values mutating policies make: any field can be set. */
export function mutationType(name: string): CelType | undefined {
  if (name === 'JSONPatch') return structType(name, patchFields);
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined;
  return structType(name, { get: () => dynType });
}

/** Such a value is as good as a map: it becomes part of the object, or an operation on it. */
export function makeMutationValue(name: string, fields: ReadonlyMap<string, CelValue>): CelResult {
  return mutationType(name) === undefined
    ? new CelFailure(`unknown type '${name}'`)
    : ValueMap.of(fields);
}

/** `jsonpatch.escapeKey`, for names that become a step of a path. */
export const jsonPatchLibrary: CelLibrary = {
  functions: {
    'jsonpatch.escapeKey': [
      overload('string_jsonpatch_escapeKey_string', [stringType], stringType, (key) =>
        (key as string).replaceAll('~', '~0').replaceAll('/', '~1'),
      ),
    ],
  },
};
