import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  readonly directory: string;
  readonly ca: string;
  /** Paths of a certificate for `*.example.com` with its key, and both in one file. */
  readonly server: { readonly cert: string; readonly key: string; readonly pem: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Makes an authority, a server certificate and a client certificate with the real openssl. */
export function makeCertificates(): Certificates {
  const directory = mkdtempSync(join(tmpdir(), 'waygate-certificates-'));
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=Test CA',
    '-days',
    '2',
  );
  const issue = (name: string, subject: string, extensions: string): void => {
    writeFileSync(at(`${name}.ext`), extensions);
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
    );
  };
  issue('server', '/CN=*.example.com', 'subjectAltName=DNS:*.example.com,DNS:localhost');
  issue('client', '/CN=client-of-the-test', 'extendedKeyUsage=clientAuth');
  writeFileSync(
    at('server.pem'),
    readFileSync(at('server.crt'), 'utf8') + readFileSync(at('server.key'), 'utf8'),
  );
  return {
    directory,
    ca: at('ca.crt'),
    server: { cert: at('server.crt'), key: at('server.key'), pem: at('server.pem') },
    client: { cert: at('client.crt'), key: at('client.key') },
  };
}
