import { join } from 'node:path';
import { CertificateAuthority, type KeyPairPem } from '../tls/certificate-authority.ts';

/** What the server shows to its clients, and whom of them it believes. */
export interface ServingIdentity extends KeyPairPem {
  /** PEM: who signed the server's certificate. */
  readonly ca: string;
  /** PEM: who may sign certificates of clients. */
  readonly clientAuthorities: string;
  /** All of it was made just now, by ourselves: nothing in it can be wrong. */
  readonly isFresh: boolean;
}

/** What the owner of the server brings along. */
export interface GivenIdentity {
  /** The certificate (with its chain) and its key, in PEM. */
  readonly serving?: KeyPairPem;
  /** PEM: authorities whose client certificates are good, instead of the server's own. */
  readonly clientAuthorities?: string;
}

interface IdentityPlace {
  readonly dataDir: string | undefined;
  readonly host: string;
  now(): number;
}

/** Takes what is given; the rest comes from an authority of the server's own. */
export async function servingIdentity(
  given: GivenIdentity,
  place: IdentityPlace,
): Promise<ServingIdentity> {
  const { serving, clientAuthorities } = given;
  if (serving !== undefined) {
    // Without its authority a client can still trust the certificate itself.
    const ca = serving.certificate;
    return { ...serving, ca, clientAuthorities: clientAuthorities ?? '', isFresh: false };
  }
  const authority =
    place.dataDir === undefined
      ? await CertificateAuthority.create(place.now)
      : await CertificateAuthority.open(join(place.dataDir, 'pki'), place.now);
  const made = await authority.issueServer(serverNames(place.host));
  return {
    ...made,
    ca: authority.pem,
    clientAuthorities: clientAuthorities ?? authority.pem,
    isFresh: place.dataDir === undefined && clientAuthorities === undefined,
  };
}

function serverNames(host: string): string[] {
  const names = new Set([
    host,
    '127.0.0.1',
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ]);
  names.delete('0.0.0.0');
  return [...names];
}
