import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '@waygate/text';
import { ApiServer } from '../server/api-server.ts';
import type { ApiServerOptions } from '../server/api-server-options.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';
import { apiServerOptions } from './api-server-flags.ts';
import { lastFlag } from './flag-reader.ts';
import { say, stopAsked } from './program.ts';

/** Serves the embedded API until the process is asked to end. */
export async function serveApi(flags: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const options = apiServerOptions(flags, process.env);
  const server = await new ApiServer({
    ...options,
    ...(await madeIdentity(options, lastFlag(flags, 'cert-dir'))),
    log: (line) => say('kube-apiserver', line),
  }).start();
  say('kube-apiserver', `serving on ${server.url}`);
  await stopAsked();
  await server.stop();
}

/** A certificate directory without a certificate gets one, which clients read from there. */
async function madeIdentity(
  { serving, host = '127.0.0.1' }: ApiServerOptions,
  directory: string | undefined,
): Promise<ApiServerOptions> {
  if (serving !== undefined || directory === undefined || directory === '') return {};
  const authority = await CertificateAuthority.create(Date.now);
  const made = await authority.issueServer([...new Set([host, '127.0.0.1', 'localhost'])]);
  const pair = { ...made, certificate: `${made.certificate}${authority.pem}` };
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeWholeFile(join(directory, 'apiserver.key'), pair.privateKey);
  writeWholeFile(join(directory, 'apiserver.crt'), pair.certificate);
  return { serving: pair };
}
