export type { AdmissionRequest } from './admission/admission-review.ts';
export type { ServingCertificate } from './admission/admission-server.ts';
export type { Verdict } from './admission/credential-secret.ts';
export { type EntityValidator, schemaValidator } from './admission/entity-validator.ts';
export { type ValidationContext, validateObject } from './admission/object-validator.ts';
export type { AdminAddress } from './controller/admin-address.ts';
export type { IngressControllerOptions, LogRecord } from './controller/controller-options.ts';
export type { GatewayDiscoverySettings } from './controller/gateway-discovery.ts';
export type { GatewayAddressing, GatewayPort } from './controller/gateway-ports.ts';
export { IngressController } from './controller/ingress-controller.ts';
export { nginxFallbackCertificate } from './controller/nginx-certificate.ts';
export type { OpenStreamPorts, StreamPort } from './controller/stream-ports.ts';
export {
  customResourceDefinitions,
  gatewayApiDefinitions,
} from './crds/custom-resource-definitions.ts';
export { parseRejection, type Rejection } from './fallback/rejection.ts';
export { controllerFlags } from './flags/controller-flags.ts';
export { controllerGates, featuresOfGates } from './flags/feature-gates.ts';
export {
  type FlagOptions,
  optionsFromFlags,
  type ParsedFlags,
  type Surroundings,
} from './flags/options-from-flags.ts';
export { IngressMetrics } from './metrics/controller-metrics.ts';
export { type CertificateRow, certificateRows } from './metrics/nginx-controller-metrics.ts';
export { type NginxMetricRow, nginxMetricTable } from './metrics/nginx-metric-table.ts';
export { type WatchedKind, watchedKinds } from './objects/watched-kinds.ts';
export type { PassthroughRunnerOptions } from './passthrough/passthrough-runner.ts';
export type { ObjectReader } from './store/object-reader.ts';
export { ObjectStore } from './store/object-store.ts';
export { DatabaseSync, type DatabaseSyncOptions } from './sync/database-sync.ts';
export type { GatewaySync, SyncOutcome, SyncRequest } from './sync/gateway-sync.ts';
export type { PassReport } from './sync/pass-report.ts';
export {
  type GatewayObjects,
  nginxGatewayObjects,
  type WrittenIngress,
} from './takeover/nginx-gateway-objects.ts';
export { nginxSamples, type SampleRequest } from './takeover/nginx-samples.ts';
export {
  type IngressVerdict,
  type NginxTakeover,
  nginxTakeover,
  type UsedName,
} from './takeover/nginx-takeover.ts';
export {
  type DeclarativeDocument,
  type DeclarativeOptions,
  toDeclarativeConfig,
} from './translate/declarative-config.ts';
export type { KongState } from './translate/kong-state.ts';
export { withManifestDefaults } from './translate/manifest-defaults.ts';
export {
  type AnnotationRow,
  annotationTable,
  type Support,
} from './translate/nginx/annotation-table.ts';
export {
  type NginxMetricOptions,
  type NginxOptions,
  nginxPlugins,
} from './translate/nginx/options.ts';
export { type SettingRow, settingsTable } from './translate/nginx/settings-table.ts';
export type { RouterFlavor, TranslateFeatures, TranslateOptions } from './translate/options.ts';
export type { Problem } from './translate/problem.ts';
export { objectFromTags, tagsOf } from './translate/tags.ts';
export { type Translation, translate } from './translate/translate.ts';
export {
  routeDecidingKinds,
  type UnservedOptions,
  type UnservedRoute,
  unservedLine,
  unservedRoutes,
} from './translate/unserved-routes.ts';
