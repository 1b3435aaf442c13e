import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Certificates, makeCertificates } from '../real/certificates.ts';
import { until } from '../until.ts';
import { core, ingress, ingresses, Stack, service } from './stack.ts';

// The webhook as an API server calls it: objects that a gateway would refuse are not stored.

let stack: Stack;
let certificates: Certificates;
const kong = '/apis/configuration.konghq.com/v1/namespaces/default';

beforeAll(async () => {
  certificates = makeCertificates();
  stack = await Stack.start();
  await stack.installDefinitions();
  await stack.create(`${core}/services`, service);
  const { admin } = await stack.gateway();
  const { cert: certFile, key: keyFile } = certificates.server;
  const { controller } = stack.controller({
    kongAdmin: stack.adminClient(admin),
    admission: { certificate: { certFile, keyFile } },
  });
  await controller.waitUntilReady();
  const rule = (apiGroups: string[], resources: string[]) => ({
    apiGroups,
    apiVersions: ['*'],
    operations: ['CREATE', 'UPDATE'],
    resources,
  });
  await stack.create('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'waygate' },
    webhooks: [
      {
        name: 'validations.waygate.test',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig: {
          url: `https://localhost:${controller.addresses.admission?.port}/`,
          caBundle: readFileSync(certificates.ca).toString('base64'),
        },
        rules: [
          rule([''], ['secrets', 'services']),
          rule(['networking.k8s.io'], ['ingresses']),
          rule(['configuration.konghq.com'], ['*']),
          rule(['gateway.networking.k8s.io'], ['httproutes']),
        ],
      },
    ],
  });
}, 60_000);

afterAll(async () => {
  await stack?.stop();
  if (certificates !== undefined) rmSync(certificates.directory, { recursive: true, force: true });
});

/** What the API says to an object: nothing when it takes it. */
async function refusal(path: string, object: object, method = 'POST'): Promise<string> {
  const { status, body } = await stack.server.request(method, path, object);
  return status < 300 ? '' : (body as { message: string }).message;
}

const plugin = (name: string, config: object, more: object = {}) => ({
  apiVersion: 'configuration.konghq.com/v1',
  kind: 'KongPlugin',
  metadata: { name },
  plugin: 'rate-limiting',
  config,
  ...more,
});
const credential = (name: string, key: string) => ({
  metadata: { name, labels: { 'konghq.com/credential': 'key-auth' } },
  stringData: { key },
});
const consumer = (name: string, more: object = {}) => ({
  apiVersion: 'configuration.konghq.com/v1',
  kind: 'KongConsumer',
  metadata: { name, annotations: { 'kubernetes.io/ingress.class': 'kong' } },
  username: name,
  ...more,
});

describe('the API server refuses, by word of the webhook,', () => {
  test('plugins with a configuration that Kong would refuse', async () => {
    expect(await refusal(`${kong}/kongplugins`, plugin('good', { minute: 5 }))).toBe('');
    const message = await refusal(`${kong}/kongplugins`, plugin('bad', { minute: 'many' }));
    expect(message).toContain('KongPlugin default/bad: plugin failed schema validation');
  });

  test('plugins that Kong has and the gateway cannot run', async () => {
    const guard = plugin('unrunnable', { allow_patterns: ['a'] }, { plugin: 'ai-prompt-guard' });
    const message = await refusal(`${kong}/kongplugins`, guard);
    expect(message).toContain("this gateway cannot run the plugin 'ai-prompt-guard'");
    expect((await stack.server.request('GET', `${kong}/kongplugins/unrunnable`)).status).toBe(404);
    // One that is off decides on nothing.
    expect(await refusal(`${kong}/kongplugins`, { ...guard, disabled: true })).toBe('');
  });

  test('plugins whose Secret is wrong, and Secrets that would make a plugin wrong', async () => {
    const secret = (config: string) => ({ metadata: { name: 'limits' }, stringData: { config } });
    await stack.create(`${core}/secrets`, secret('minute: 5'));
    const from = { configFrom: { secretKeyRef: { name: 'limits', key: 'config' } } };
    const { config: _, ...plain } = plugin('from-secret', {}, from);
    expect(await refusal(`${kong}/kongplugins`, plain)).toBe('');
    await until('the plugin is known', async () => {
      const message = await refusal(`${core}/secrets/limits`, secret('minute: many'), 'PUT');
      return message.includes('Change on secret will generate invalid configuration');
    });
    expect(await refusal(`${core}/secrets/limits`, secret('minute: 6'), 'PUT')).toBe('');
  });

  test('credentials that are wrong or taken, and consumers that name them', async () => {
    expect(
      await refusal(`${core}/secrets`, { ...credential('empty', ''), stringData: {} }),
    ).toContain('missing required field(s): key');
    await stack.create(`${core}/secrets`, credential('one', 'same-key'));
    await stack.create(`${core}/secrets`, credential('two', 'same-key'));
    expect(
      await refusal(`${kong}/kongconsumers`, consumer('nobody', { credentials: ['missing'] })),
    ).toContain('non-existent credentials secret default/missing');
    await stack.create(`${kong}/kongconsumers`, consumer('alice', { credentials: ['one'] }));
    await until('the key is taken', async () => {
      const bob = consumer('bob', { credentials: ['two'] });
      const path = `${kong}/kongconsumers?dryRun=All`;
      return (await refusal(path, bob)).includes('unique key constraint violated');
    });
    expect(
      await refusal(`${kong}/kongconsumers`, { ...consumer('other'), username: 'alice' }),
    ).toContain('consumer already exists');
  });

  test('routes that Kong would refuse', async () => {
    const bad = ingress('regex', 'a.test', {
      rules: [
        {
          http: {
            paths: [
              {
                path: '/~/([a-z',
                pathType: 'ImplementationSpecific',
                backend: { service: { name: 'web', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    });
    expect(await refusal(ingresses, bad)).toContain(
      'Ingress default/regex failed schema validation',
    );
    expect(await refusal(ingresses, ingress('fine', 'fine.test'))).toBe('');
  });

  test('Secrets that lose a certificate that somebody shows, and CA certificates that are none', async () => {
    const pair = (cert: string) => ({
      metadata: { name: 'tls' },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': cert, 'tls.key': readFileSync(certificates.server.key, 'utf8') },
    });
    const tls = [{ hosts: ['tls.test'], secretName: 'tls' }];
    await stack.create(`${core}/secrets`, pair(readFileSync(certificates.server.cert, 'utf8')));
    await stack.create(ingresses, ingress('tls', 'tls.test', { tls }));
    const other = readFileSync(certificates.client.cert, 'utf8');
    await until('it is in use', async () => {
      const message = await refusal(`${core}/secrets/tls?dryRun=All`, pair(other), 'PUT');
      return message.includes('Ingress default/tls uses it');
    });
    const authority = {
      metadata: {
        name: 'ca',
        labels: { 'konghq.com/ca-cert': 'true' },
        annotations: { 'kubernetes.io/ingress.class': 'kong' },
      },
      stringData: { id: '0f0e0d0c-0000-4000-8000-000000000009', cert: other },
    };
    expect(await refusal(`${core}/secrets`, authority)).toContain(
      "missing the 'CA' basic constraint",
    );
  });

  test('custom entities of a type that has objects of its own; what is old is let in', async () => {
    const path = '/apis/configuration.konghq.com/v1alpha1/namespaces/default/kongcustomentities';
    const custom = {
      apiVersion: 'configuration.konghq.com/v1alpha1',
      kind: 'KongCustomEntity',
      metadata: { name: 'c' },
      spec: { type: 'services', controllerName: 'kong', fields: {} },
    };
    expect(await refusal(path, custom)).not.toBe('');
    const annotations = { 'konghq.com/override': 'x' };
    const old = { ...service, metadata: { name: 'old', annotations } };
    expect(await refusal(`${core}/services`, old)).toBe('');
  });
});
