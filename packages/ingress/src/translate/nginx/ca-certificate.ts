import { createHash } from 'node:crypto';
import type { CaCertificateEntity } from '../kong-state.ts';

/** The id of an authority's certificate: it follows from the certificate alone. */
export function caCertificateId(cert: string): string {
  const hex = createHash('sha256').update(`nginx ca ${cert.trim()}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  const tail = `${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${tail}`;
}

/** The first certificate of a bundle, as an entity. */
export function caCertificateOf(bundle: string): CaCertificateEntity {
  const [cert = bundle] =
    bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/) ?? [];
  return { id: caCertificateId(bundle), cert: `${cert.trim()}\n` };
}
