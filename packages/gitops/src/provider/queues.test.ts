import { createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { makeCertificate } from '@waygate/text';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NatsServer } from '../testing/nats-server.ts';
import { appliedEvent, failedEvent, ProviderStage, sha } from '../testing/provider-stage.ts';

let stage: ProviderStage;

beforeEach(async () => {
  stage = await ProviderStage.start();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe('nats', () => {
  let nats: NatsServer;

  beforeEach(async () => {
    nats = await NatsServer.start();
  });

  afterEach(() => nats[Symbol.asyncDispose]());

  const spec = () => ({ type: 'nats', address: nats.address, channel: 'flux.events' });

  test('a message is published, and the server’s word for it waited for', async () => {
    await stage.send(spec(), { username: 'u', password: 'p' });
    expect(nats.published).toEqual([
      { subject: 'flux.events', text: JSON.stringify(appliedEvent) },
    ]);
    expect(nats.hello).toMatchObject({ user: 'u', pass: 'p', tls_required: false });
  });

  test.each([
    [{ token: ' t\n' }, '', { auth_token: 't' }],
    [{}, 'u:p@', { user: 'u', pass: 'p' }],
    [{}, 'tok@', { auth_token: 'tok' }],
  ])('%j and "%s" of the address sign in', async (secret, before, hello) => {
    const address = nats.address.replace('://', `://${before}`);
    await stage.send({ ...spec(), address }, secret);
    expect(nats.hello).toMatchObject(hello);
  });

  test('the next server is asked when one is away', async () => {
    await stage.send({ ...spec(), address: `nats://127.0.0.1:1,${nats.address}` });
    expect(nats.published).toHaveLength(1);
  });

  test('who is away, or says nothing, may answer later', async () => {
    await expect(stage.send({ ...spec(), address: 'nats://127.0.0.1:1' })).rejects.toMatchObject({
      isTransient: true,
    });
    nats.isMute = true;
    stage.signal = AbortSignal.timeout(50);
    await expect(stage.send(spec())).rejects.toMatchObject({ isTransient: true });
  });

  test.each(['greeting', 'message', 'answer'] as const)(
    'a server that hangs up amid its %s is asked again, and the next one now',
    async (when) => {
      nats.hangsUp = when;
      const long = { ...appliedEvent, message: 'x'.repeat(900_000) };
      await expect(stage.send(spec(), {}, long)).rejects.toMatchObject({ isTransient: true });
      expect(nats.published).toHaveLength(when === 'answer' ? 1 : 0);
      await using next = await NatsServer.start();
      await stage.send({ ...spec(), address: `${nats.address},${next.address}` }, {}, long);
      expect(next.published).toHaveLength(1);
      nats.hangsUp = undefined;
      await stage.send(spec(), {}, long);
      expect(nats.published.at(-1)?.text).toBe(JSON.stringify(long));
    },
  );

  test('a server that asks for it is spoken to over TLS, and must prove itself', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const der = makeCertificate({
      subject: [['CN', 'nats']],
      addresses: ['127.0.0.1'],
      from: new Date(Date.now() - 60_000),
      to: new Date(Date.now() + 60_000),
      key: privateKey,
      isAuthority: true,
      serial: 1n,
    });
    const cert = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
    const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const secure = await NatsServer.start({ cert, key });
    try {
      secure.info = { tls_required: true };
      const address = secure.address;
      await expect(stage.send({ ...spec(), address })).rejects.toMatchObject({ isTransient: true });
      stage.tls = { ca: cert };
      await stage.send({ ...spec(), address });
      expect(secure.published).toHaveLength(1);
      expect(secure.hello).toMatchObject({ tls_required: true });
    } finally {
      await secure[Symbol.asyncDispose]();
    }
  });

  test('what is refused is not tried again', async () => {
    nats.refusal = 'Authorization Violation';
    await expect(stage.send(spec())).rejects.toMatchObject({
      isTransient: false,
      message: expect.stringContaining('Authorization Violation'),
    });
    nats.refusal = undefined;
    nats.info = { max_payload: 10 };
    await expect(stage.send(spec())).rejects.toThrow('10 bytes at most');
    for (const channel of ['a b', 'a.*', 'a.>', ''])
      await expect(stage.send({ ...spec(), channel })).rejects.toThrow('no subject');
    await expect(stage.send({ ...spec(), address: stage.server.url })).rejects.toThrow('nats://');
    const address = stage.server.url.replace('http', 'nats');
    stage.signal = AbortSignal.timeout(200);
    await expect(stage.send({ ...spec(), address })).rejects.toThrow('could not be asked');
  });
});

describe('azureeventhub', () => {
  const connection = (more = '') =>
    `Endpoint=sb://127.0.0.1:${stage.server.port}/;SharedAccessKeyName=send;SharedAccessKey=a+b=;` +
    `EntityPath=Hub;UseDevelopmentEmulator=true${more}`;

  test('a connection string signs each message', async () => {
    await stage.send({ type: 'azureeventhub' }, { address: connection() });
    const resource = encodeURIComponent(`http://127.0.0.1:${stage.server.port}/hub`);
    const signature = createHmac('sha256', 'a+b=').update(`${resource}\n3600`).digest('base64');
    expect(stage.told()).toMatchObject({
      path: '/Hub/messages?timeout=60&api-version=2014-01',
      json: appliedEvent,
      headers: {
        authorization: `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=3600&skn=send`,
      },
    });
  });

  test('a token goes to the namespace that the channel names', async () => {
    const asked: string[] = [];
    stage.redirect = (url) => {
      asked.push(url.href);
      return new URL(stage.server.url);
    };
    await stage.send({ type: 'azureeventhub', address: 'hub', channel: 'ns' }, { token: 'jwt\n' });
    expect(asked).toEqual([
      'https://ns.servicebus.windows.net/hub/messages?timeout=60&api-version=2014-01',
    ]);
    expect(stage.told()?.headers.authorization).toBe('Bearer jwt');
  });

  test('what is missing is said, and nothing of the key', async () => {
    const sent = (address: string, secret = {}) =>
      stage.send({ type: 'azureeventhub', address, channel: 'ns' }, secret);
    await expect(sent('hub')).rejects.toThrow('identities of Azure are not supported');
    await expect(sent('a/b', { token: 't' })).rejects.toThrow('no name of a hub');
    await expect(sent(connection(), { token: 't' })).rejects.toThrow('exclude each other');
    await expect(sent('SharedAccessKey=k;Endpoint=sb://x')).rejects.toThrow('no EntityPath');
    await expect(sent('SharedAccessKey=k;Endpoint=https://x;EntityPath=h')).rejects.toThrow(
      'no sb://',
    );
  });
});

describe('googlepubsub', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = {
    client_email: 'bot@p.test',
    private_key_id: 'k1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  const spec = { type: 'googlepubsub', address: 'my-project', channel: 'events' };

  test('the key of an account buys a token, and the event is published', async () => {
    const asked: string[] = [];
    stage.redirect = (url) => {
      asked.push(url.href);
      return new URL(url.pathname, stage.server.url);
    };
    stage.server.answer = () => ({ code: 200, json: { access_token: 'at' } });
    const headers = 'team: shop\n';
    await stage.send(spec, { token: JSON.stringify(key), headers });
    expect(asked).toEqual([
      'https://oauth2.googleapis.com/token',
      'https://pubsub.googleapis.com/v1/projects/my-project/topics/events:publish',
    ]);
    const assertion = new URLSearchParams(stage.told()?.text).get('assertion') ?? '';
    const [head = '', claims = '', signature = ''] = assertion.split('.');
    const isOurs = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    expect(isOurs).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: 'bot@p.test',
      scope: 'https://www.googleapis.com/auth/pubsub',
      aud: 'https://oauth2.googleapis.com/token',
      iat: 0,
      exp: 3600,
    });
    expect(stage.told(1)).toMatchObject({
      headers: { authorization: 'Bearer at' },
      json: { messages: [{ attributes: { team: 'shop' } }] },
    });
    const { messages } = stage.told(1)!.json as { messages: [{ data: string }] };
    const [{ data }] = messages;
    expect(JSON.parse(Buffer.from(data, 'base64').toString())).toEqual(appliedEvent);
  });

  test('what is missing is said, and nothing of the key', async () => {
    await expect(stage.send(spec)).rejects.toThrow('identities of Google Cloud are not supported');
    for (const token of ['{', '{}', JSON.stringify({ ...key, client_email: 1 })])
      await expect(stage.send(spec, { token })).rejects.toThrow(
        /no JSON key of a service account$/,
      );
    await expect(stage.send({ ...spec, channel: '../x' }, { token: '{}' })).rejects.toThrow(
      'none of a topic',
    );
    stage.redirect = () => new URL(stage.server.url);
    await expect(stage.send(spec, { token: JSON.stringify(key) })).rejects.toThrow(
      'gave no access token',
    );
  });
});

test('otel: what one Alert tells of a revision is one trace', async () => {
  const chart = { ...failedEvent, involvedObject: { ...failedEvent.involvedObject, uid: 'other' } };
  await stage.send({ type: 'otel' }, { username: 'u', password: 'p' });
  await stage.send({ type: 'otel', address: `${stage.server.url}/own` }, { password: 't' }, chart);
  const repository = { ...appliedEvent.involvedObject, kind: 'HelmRepository' };
  await stage.send({ type: 'otel' }, {}, { ...appliedEvent, involvedObject: repository });
  expect(stage.server.told.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/v1/traces', `Basic ${btoa('u:p')}`],
    ['/own', 'Bearer t'],
  ]);
  const spans = stage.server.told.map(({ json }) => {
    const { resourceSpans } = json as {
      resourceSpans: [{ resource: object; scopeSpans: [{ spans: [Record<string, unknown>] }] }];
    };
    return resourceSpans[0].scopeSpans[0].spans[0];
  });
  expect(spans[0]).toMatchObject({
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
    name: 'Kustomization: team/apps',
    startTimeUnixNano: '1767323045000000000',
    status: { code: 1 },
    attributes: expect.arrayContaining([
      { key: 'revision', value: { stringValue: `main@sha1:${sha}` } },
    ]),
  });
  expect(spans[1]).toMatchObject({ traceId: spans[0]?.traceId, status: { code: 2 } });
  expect(spans[1]?.spanId).not.toBe(spans[0]?.spanId);
});
