import type { CelFunctionRegistry } from '@waygate/schema';

/** The name that functions for patches are called by. */
class JsonPatchLibrary {}

/** What the name `jsonpatch` stands for when an expression is evaluated. */
export const jsonpatch = new JsonPatchLibrary();

/** `jsonpatch.escapeKey`, for names that become a step of a path. */
export function registerJsonPatchFunctions(registry: CelFunctionRegistry): void {
  registry.registerType('JsonPatchLibrary', JsonPatchLibrary);
  registry.registerVariable('jsonpatch', 'JsonPatchLibrary');
  registry.registerFunction(
    'JsonPatchLibrary.escapeKey(string): string',
    (_library: JsonPatchLibrary, key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
  );
}
