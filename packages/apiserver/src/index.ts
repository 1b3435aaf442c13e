export type { StaticToken } from './auth/authenticator.ts';
export { ApiServer, type ApiServerOptions, type RunningApiServer } from './server/api-server.ts';
export { startTestServer, type TestServer } from './testing/test-server.ts';
export { CertificateAuthority, type KeyPairPem } from './tls/certificate-authority.ts';
