import { CelDeclarations, type CelLibrary, member } from './declaration.ts';
import { standardLibraries } from './kubernetes.ts';
import { encoders } from './libraries/encoders.ts';
import { sets } from './libraries/lists.ts';
import { optionals } from './libraries/optionals.ts';
import { strings } from './libraries/strings.ts';
import { formatPlainText } from './libraries/text-format.ts';
import { dynType, listOf, stringType } from './types/type.ts';
import type { CelList } from './values/value.ts';

/** Flux follows the newest version of the functions on texts; Kubernetes stays with an older one. */
const newerStrings: CelLibrary = {
  functions: {
    ...strings.functions,
    format: [
      member('string_format', [stringType, listOf(dynType)], stringType, (text, list) =>
        formatPlainText(text as string, [...(list as CelList)]),
      ),
    ],
    reverse: [
      member('string_reverse', [stringType], stringType, (text) =>
        [...(text as string)].reverse().join(''),
      ),
    ],
  },
};

/** What Flux' expressions have, on the fields of whatever objects: `healthCheckExprs` and `readyExpr`. */
export const fluxDeclarations = CelDeclarations.of([
  ...standardLibraries,
  optionals,
  newerStrings,
  sets,
  encoders,
]).open();
