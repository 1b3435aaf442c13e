import { request as httpsRequest } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiServer, type RunningApiServer } from '../server/api-server.ts';
import { CertificateAuthority } from '../tls/certificate-authority.ts';

let server: RunningApiServer;

beforeAll(async () => {
  server = await new ApiServer({ log: () => undefined }).start();
});

afterAll(() => server.stop());

/** The code of a GET with a certificate that a stranger's authority signed. */
async function code(
  path: string,
  headers: Record<string, string>,
  isShown: boolean,
): Promise<number> {
  const stranger = await CertificateAuthority.create(Date.now);
  const { certificate, privateKey } = await stranger.issueServer(['localhost']);
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      `${server.url}${path}`,
      {
        ca: server.caCertificate,
        headers,
        agent: false,
        ...(isShown ? { cert: certificate, key: privateKey } : {}),
      },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', reject);
    request.end();
  });
}

test('who shows a certificate of a stranger is nobody known, and not nobody', async () => {
  expect(await code('/version', {}, false)).toBe(200);
  expect(await code('/version', {}, true)).toBe(401);
});

test('a good token counts beside it', async () => {
  const headers = { Authorization: `Bearer ${server.adminToken}` };
  expect(await code('/api/v1/secrets', headers, true)).toBe(200);
  expect(await code('/api/v1/secrets', { Authorization: 'Bearer wrong' }, true)).toBe(401);
});
