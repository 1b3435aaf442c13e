import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@waygate/runtime';
import { describe, expect, test } from 'vitest';
import { AdmissionServer } from '../admission/admission-server.ts';
import { denied } from '../admission/credential-secret.ts';
import { maskedDocument } from './diagnostics.ts';
import { diagnosticsServer } from './diagnostics-server.ts';

describe('the admission server', () => {
  test('answers reviews over TLS, and refuses what is none', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-admission-'));
    const [certFile, keyFile] = [join(directory, 'tls.crt'), join(directory, 'tls.key')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-keyout', keyFile, '-out', certFile, '-subj', '/CN=webhook', '-days', '1'],
        ...['-addext', 'subjectAltName=IP:127.0.0.1'],
      ],
      { stdio: 'ignore' },
    );
    const server = new AdmissionServer({
      certificate: { certFile, keyFile },
      clock: systemClock,
      onError: () => undefined,
      validate: async ({ object }) => denied(`no ${object?.kind} today`),
    });
    const { port } = await server.listen();
    const post = (body: string) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const call = request(
          {
            host: '127.0.0.1',
            port,
            method: 'POST',
            path: '/',
            ca: readFileSync(certFile),
            agent: false,
          },
          (reply) => {
            let text = '';
            reply.on('data', (chunk) => {
              text += chunk;
            });
            reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
          },
        );
        call.on('error', reject);
        call.end(body);
      });
    try {
      const review = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: { uid: 'abc', operation: 'CREATE', object: { kind: 'KongPlugin', metadata: {} } },
      };
      const answer = await post(JSON.stringify(review));
      expect(answer.status).toBe(200);
      expect(JSON.parse(answer.body).response).toEqual({
        uid: 'abc',
        allowed: false,
        status: { code: 400, message: 'no KongPlugin today' },
      });
      expect((await post('nonsense')).status).toBe(400);
    } finally {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

describe('diagnostics', () => {
  const document = {
    _format_version: '3.0',
    consumers: [
      {
        username: 'bob',
        keyauth_credentials: [{ key: 'TOP-1' }],
        basicauth_credentials: [{ username: 'bob', password: 'TOP-2' }],
      },
    ],
    certificates: [{ id: 'x', cert: 'public', key: 'TOP-3' }],
    plugins: [{ name: 'session', config: { secret: 'TOP-4', cookie_name: 'c' } }],
    services: [
      {
        name: 's',
        routes: [{ name: 'r', plugins: [{ name: 'x', config: { api_key: 'TOP-5' } }] }],
      },
    ],
    licenses: [{ id: 'l', payload: 'TOP-6' }],
  };

  test('show no secret', () => {
    const text = JSON.stringify(maskedDocument(document));
    expect(text).not.toContain('TOP-');
    expect(text).toContain('bob');
    expect(text).toContain('cookie_name');
  });

  test('are served by page', async () => {
    const server = diagnosticsServer({}, { '/a': () => ({ x: 1 }), '/b': () => undefined });
    const { port } = await server.listen();
    const get = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, body: await answer.json() };
    };
    expect(await get('/a')).toEqual({ status: 200, body: { x: 1 } });
    expect((await get('/b')).status).toBe(404);
    expect((await get('/__proto__')).status).toBe(404);
    expect(await get('/')).toEqual({ status: 200, body: { pages: ['/a', '/b'] } });
    await server.close();
  });
});
