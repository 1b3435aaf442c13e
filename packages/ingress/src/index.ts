export {
  allowed,
  denied,
  type Verdict,
  validateCredentialSecret,
  validateLegacyCredentialSecret,
} from './admission/credential-secret.ts';
export { customResourceDefinitions } from './crds/custom-resource-definitions.ts';
export { type Exclusion, excludeBroken } from './fallback/exclude-broken.ts';
export { idOf, type ObjectId } from './fallback/object-graph.ts';
export { parseRejection, type Rejection } from './fallback/rejection.ts';
export {
  type DeclarativeDocument,
  type DeclarativeOptions,
  toDeclarativeConfig,
} from './translate/declarative-config.ts';
export type { KongState } from './translate/kong-state.ts';
export { withManifestDefaults } from './translate/manifest-defaults.ts';
export type { RouterFlavor, TranslateFeatures, TranslateOptions } from './translate/options.ts';
export type { Problem } from './translate/problem.ts';
export { tagsOf } from './translate/tags.ts';
export { type Translation, translate } from './translate/translate.ts';
