export type { AdmissionRequest } from './admission/admission-review.ts';
export {
  AdmissionServer,
  type AdmissionServerOptions,
  type ServingCertificate,
} from './admission/admission-server.ts';
export {
  allowed,
  denied,
  type Verdict,
  validateCredentialSecret,
  validateLegacyCredentialSecret,
} from './admission/credential-secret.ts';
export {
  type EntityValidator,
  gatewayValidator,
  schemaValidator,
} from './admission/entity-validator.ts';
export { type ValidationContext, validateObject } from './admission/object-validator.ts';
export { type AdminAddress, adminAddressesOf } from './controller/admin-address.ts';
export type { PassReport } from './controller/configuration-loop.ts';
export type { IngressControllerOptions, LogRecord } from './controller/controller-options.ts';
export type { GatewayDiscoverySettings } from './controller/gateway-discovery.ts';
export { IngressController } from './controller/ingress-controller.ts';
export { type WatchedKind, watchedKinds } from './controller/watched-kinds.ts';
export { customResourceDefinitions } from './crds/custom-resource-definitions.ts';
export { gatewayApiDefinitions } from './crds/gateway-api-definitions.ts';
export { type Exclusion, excludeBroken } from './fallback/exclude-broken.ts';
export { parseRejection, type Rejection } from './fallback/rejection.ts';
export {
  controllerFlags,
  environmentNameOf,
} from './flags/controller-flags.ts';
export { controllerGates, featuresOfGates } from './flags/feature-gates.ts';
export {
  type FlagOptions,
  optionsFromFlags,
  type ParsedFlags,
  type Surroundings,
} from './flags/options-from-flags.ts';
export { idOf, type ObjectId } from './objects/object-id.ts';
export type { PassthroughRunnerOptions } from './passthrough/passthrough-runner.ts';
export { passthroughTable } from './passthrough/passthrough-table.ts';
export { DatabaseSync, type DatabaseSyncOptions } from './sync/database-sync.ts';
export { DblessSync } from './sync/dbless-sync.ts';
export type { GatewaySync, SyncOutcome, SyncRequest } from './sync/gateway-sync.ts';
export {
  type DeclarativeDocument,
  type DeclarativeOptions,
  toDeclarativeConfig,
} from './translate/declarative-config.ts';
export type { KongState } from './translate/kong-state.ts';
export { withManifestDefaults } from './translate/manifest-defaults.ts';
export type { RouterFlavor, TranslateFeatures, TranslateOptions } from './translate/options.ts';
export type { Problem } from './translate/problem.ts';
export { objectFromTags, tagsOf } from './translate/tags.ts';
export { type Translation, translate } from './translate/translate.ts';
