import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** What is wrong with a certificate that must be for one of these: `DNS:` and a name, or `URI:` and a URI. */
export function checkIdentity(
  wanted: readonly string[],
  certificate: PeerCertificate,
): Error | undefined {
  const uris = new Set(
    (certificate.subjectaltname ?? '').split(', ').filter((name) => name.startsWith('URI:')),
  );
  let problem: Error | undefined;
  if (wanted.length === 0) return new Error('there is no name that the certificate may be for');
  for (const name of wanted) {
    const found = name.startsWith('URI:')
      ? uris.has(name)
        ? undefined
        : new Error(`the certificate is not for ${name}`)
      : checkServerIdentity(name.slice('DNS:'.length), certificate);
    if (found === undefined) return undefined;
    problem ??= found;
  }
  return problem;
}
