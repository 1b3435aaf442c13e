export type { HelmErrorCode } from './helm-error.ts';
export { HelmError } from './helm-error.ts';
