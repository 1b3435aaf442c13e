import type { CertificatesResult } from '../certificates.ts';
import type { NginxOptions } from './options.ts';

/** One id for good: the pair differs from process to process. */
const fallbackId = '6f0f6ce4-9d6b-5c0f-8a51-0d3c8c7b1e80';

/** The certificates with one for all other names, unless there is one for them already. */
export function withFallback(
  result: CertificatesResult,
  nginx: NginxOptions | undefined,
): CertificatesResult {
  const pair = nginx?.fallbackCertificate;
  const isThere = result.certificates.some(({ snis }) => snis?.some(({ name }) => name === '*'));
  if (pair === undefined || isThere) return result;
  const certificate = { id: fallbackId, cert: pair.cert, key: pair.key, snis: [{ name: '*' }] };
  return { ...result, certificates: [...result.certificates, certificate] };
}
