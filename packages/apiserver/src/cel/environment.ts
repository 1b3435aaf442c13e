import { quantities } from '@waygate/schema';
import { CelDeclarations, kubernetesLibraries } from '@waygate/text';
import { authorizerLibrary } from './authorizer-library.ts';
import { formatLibrary } from './format-library.ts';

/** What all expressions of the API may use; variables come with the place where one stands. */
export const declarations = CelDeclarations.of([
  ...kubernetesLibraries,
  authorizerLibrary,
  quantities,
  formatLibrary,
]);
