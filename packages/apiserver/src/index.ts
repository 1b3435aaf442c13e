export type { StaticToken } from './auth/authenticator.ts';
export type { OwnDefinitions } from './controllers/bootstrap-definitions.ts';
export type { PodLogOptions, PodRuntime } from './core/pod-runtime.ts';
export { envtestDirectory } from './envtest/directory.ts';
export type { ClusterSettings, NumberRange } from './resources/cluster-settings.ts';
export { ApiServer, type RunningApiServer } from './server/api-server.ts';
export type { ApiServerOptions } from './server/api-server-options.ts';
export type { ControllerName } from './server/running-controllers.ts';
export {
  type BackupReport,
  type RestoreReport,
  restoreStore,
  saveSnapshot,
} from './storage/store-backup.ts';
export { startTestServer, type TestServer } from './testing/test-server.ts';
export { CertificateAuthority, type KeyPairPem } from './tls/certificate-authority.ts';
