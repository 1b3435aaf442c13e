import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { startTestServer } from '@waygate/apiserver';
import { isNotFound, KubeClient, staticToken } from '@waygate/kube';
import { type Clock, systemClock } from '@waygate/runtime';
import { kinds, type Secret } from '@waygate/schema';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../test/until.ts';
import { AdmissionServer } from './admission-server.ts';
import { denied } from './credential-secret.ts';
import { WebhookCertificateKeeper } from './webhook-certificate-keeper.ts';

// On a real API that calls the webhook over TLS, and trusts what its configuration says and nothing else.

const day = 24 * 60 * 60 * 1000;
const namespace = 'default';
let server: Awaited<ReturnType<typeof startTestServer>>;
let client: KubeClient;
let count = 0;
let names: { secret: string; configuration: string; service: string };

beforeAll(async () => {
  server = await startTestServer();
  client = new KubeClient({
    server: server.url,
    namespace,
    credentials: staticToken(server.adminToken),
  });
});

afterAll(async () => {
  await client.close();
  await server.stop();
});

beforeEach(() => {
  count += 1;
  names = { secret: `s-${count}`, configuration: `c-${count}`, service: 'localhost' };
});

/** A clock that can be told that it is another day. */
function shiftable(): Clock & { shiftMs: number } {
  const clock = Object.create(systemClock) as Clock & { shiftMs: number };
  clock.shiftMs = 0;
  clock.now = () => systemClock.now() + clock.shiftMs;
  clock.monotonicMs = () => systemClock.monotonicMs();
  clock.after = (...args) => systemClock.after(...args);
  clock.sleep = (...args) => systemClock.sleep(...args);
  clock.yield = () => systemClock.yield();
  return clock;
}

/** A replica: a keeper, and a webhook that refuses every ConfigMap. */
async function startReplica(options: { isLeader?: boolean; shiftMs?: number } = {}) {
  const clock = shiftable();
  clock.shiftMs = options.shiftMs ?? 0;
  const errors: unknown[] = [];
  let asked = 0;
  const onError = (error: unknown) => errors.push(error);
  const keeper = new WebhookCertificateKeeper({
    ...names,
    namespace,
    client,
    clock,
    isLeader: () => {
      asked += 1;
      return options.isLeader ?? true;
    },
    onError,
    // A request that is on its way still trusts what was served when it set out. Certificates count seconds.
    settleMs: 1_500,
    checkMs: 20,
  });
  const webhook = new AdmissionServer({
    certificate: (signal) => keeper.pair(signal),
    clock: { ...clock, sleep: (_, signal) => systemClock.sleep(20, signal) } as Clock,
    onError,
    validate: async () => denied('no ConfigMap today'),
  });
  const stop = new AbortController();
  const { port } = await webhook.listen(stop.signal);
  const running = Promise.all([keeper.run(stop.signal), webhook.run(stop.signal)]);
  return {
    clock,
    errors,
    port,
    /** How often it had something to do, and wanted to know whether it may. */
    asked: () => asked,
    async served(): Promise<string> {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { raw } = socket.getPeerCertificate();
      socket.destroy();
      return new X509Certificate(raw).serialNumber;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

const secrets = () => client.resource(kinds.Secret);
const configurations = () => client.resource(kinds.ValidatingWebhookConfiguration);

async function configure(port: number): Promise<void> {
  await configurations().create({
    metadata: { name: names.configuration },
    webhooks: ['one', 'two'].map((name) => ({
      name: `${name}.example.com`,
      clientConfig: { url: `https://localhost:${port}/` },
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
      ],
      failurePolicy: 'Fail' as const,
      objectSelector: { matchLabels: { for: names.configuration } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })),
  });
}

/** What a user is told who creates a ConfigMap. */
async function told(): Promise<string> {
  const labels = { for: names.configuration };
  try {
    await client
      .resource(kinds.ConfigMap)
      .create({ metadata: { generateName: 'm-', namespace, labels } });
    return 'created';
  } catch (error) {
    return (error as Error).message;
  }
}

const isAsked = () =>
  until('the webhook to be trusted', async () => (await told()).includes('no ConfigMap today'));
const readSecret = (): Promise<Secret | undefined> =>
  secrets()
    .get(names.secret, { namespace })
    .catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });

test('the first start makes a certificate, and has it trusted', async () => {
  await using replica = await startReplica();
  await configure(replica.port);
  await isAsked();
  const secret = await readSecret();
  expect(secret?.type).toBe('kubernetes.io/tls');
  expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
  expect(replica.errors).toEqual([]);
});

test('it is renewed in time, and never is one served that is not trusted', async () => {
  await using replica = await startReplica({ shiftMs: -61 * day });
  await configure(replica.port);
  await isAsked();
  const before = await replica.served();
  replica.clock.shiftMs = 0;
  const answers = new Set<string>();
  await until('another to be served', async () => {
    answers.add(await told());
    return (await replica.served()) !== before;
  });
  answers.add(await told());
  // Which of the two webhooks is the first to say no is not said anywhere.
  const isRefusal = (answer: string) => answer.includes('no ConfigMap today');
  expect([...answers].filter((answer) => !isRefusal(answer))).toEqual([]);
  expect(replica.errors).toEqual([]);
});

test('a Secret that is deleted is made anew, and nobody notices', async () => {
  await using replica = await startReplica();
  await configure(replica.port);
  await isAsked();
  const before = await replica.served();
  await secrets().delete(names.secret, { namespace });
  const answers = new Set<string>();
  await until('another to be served', async () => {
    answers.add(await told());
    return (await replica.served()) !== before;
  });
  // Which of the two webhooks is the first to say no is not said anywhere.
  const isRefusal = (answer: string) => answer.includes('no ConfigMap today');
  expect([...answers].filter((answer) => !isRefusal(answer))).toEqual([]);
});

test('two replicas that start at once serve the same', async () => {
  const [leader, other] = await Promise.all([startReplica(), startReplica({ isLeader: false })]);
  await using _leader = leader;
  await using _other = other;
  await configure(other!.port);
  await isAsked();
  await until(
    'both to serve the same',
    async () => (await leader!.served()) === (await other!.served()),
  );
  expect([...leader!.errors, ...other!.errors]).toEqual([]);
  await secrets().delete(names.secret, { namespace });
  const before = await leader!.served();
  await until('both to serve another', async () => {
    const served = await leader!.served();
    return served !== before && served === (await other!.served());
  });
  await isAsked();
});

test('what somebody writes into the configuration or the Secret is undone', async () => {
  await using replica = await startReplica();
  await configure(replica.port);
  await isAsked();
  const current = await configurations().get(names.configuration);
  const strange = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const [first, second] = current.webhooks!;
  await configurations().update({
    ...current,
    webhooks: [
      {
        ...first!,
        clientConfig: { url: first!.clientConfig.url!, caBundle: strange.toString('base64') },
      },
      { ...second!, clientConfig: { url: second!.clientConfig.url! } },
    ],
  });
  await isAsked();
  const secret = (await readSecret())!;
  await secrets().update({ ...secret, data: { ...secret.data, 'tls.key': 'bm9uc2Vuc2U=' } });
  await until(
    'the Secret to be whole',
    async () => (await readSecret())?.data?.['tls.key'] !== 'bm9uc2Vuc2U=',
  );
  await isAsked();
});

test('one that does not lead neither renews nor tells', async () => {
  await using replica = await startReplica({ isLeader: false, shiftMs: -61 * day });
  await configure(replica.port);
  const before = await readSecret();
  replica.clock.shiftMs = 0;
  const asked = replica.asked();
  await until('it to look twice', async () => replica.asked() > asked + 1);
  expect(await readSecret()).toEqual(before);
  const { webhooks } = await configurations().get(names.configuration);
  expect(webhooks!.every(({ clientConfig }) => clientConfig.caBundle === undefined)).toBe(true);
});
