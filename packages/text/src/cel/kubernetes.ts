import { CelDeclarations } from './declaration.ts';
import { addresses } from './libraries/addresses.ts';
import { operators } from './libraries/arithmetic.ts';
import { conversions } from './libraries/conversions.ts';
import { kubernetesLists, lists, sets, twoVariableComprehensions } from './libraries/lists.ts';
import { optionals } from './libraries/optionals.ts';
import { regex } from './libraries/regex.ts';
import { semvers } from './libraries/semver.ts';
import { strings } from './libraries/strings.ts';
import { textAndTime } from './libraries/text-and-time.ts';
import { urls } from './libraries/url.ts';

/** The language itself, without any extension. */
export const standardLibraries = [operators, conversions, textAndTime];

/** What Kubernetes adds, but for that which needs to know its kinds: quantities, formats and the authorizer. */
export const kubernetesLibraries = [
  ...standardLibraries,
  urls,
  regex,
  kubernetesLists,
  optionals,
  strings,
  sets,
  addresses,
  twoVariableComprehensions,
  semvers,
  lists,
];

export const kubernetesDeclarations = CelDeclarations.of(kubernetesLibraries);
