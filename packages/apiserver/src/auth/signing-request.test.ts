import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  cryptoProvider,
  Pkcs10CertificateRequestGenerator,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type AccessWorld,
  type Actor,
  startAccessWorld,
} from '../testing/access-world.ts';

cryptoProvider.set(webcrypto as never);

let world: AccessWorld;
let requester: Actor;
const group = 'certificates.k8s.io';
const place = `/apis/${group}/v1/certificatesigningrequests`;
const algorithms = {
  ecdsa: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    publicExponent: new Uint8Array([1, 0, 1]),
    modulusLength: 2048,
  },
} as const;

beforeAll(async () => {
  world = await startAccessWorld();
  requester = await world.user([requests('', ['*'])]);
});

afterAll(() => world.stop());

const requests = (subresource: string, verbs: string[]): AccessRule => ({
  apiGroups: [group],
  resources: [`certificatesigningrequests${subresource}`],
  verbs,
});
const signers = (verb: string, name?: string): AccessRule => ({
  apiGroups: [group],
  resources: ['signers'],
  verbs: [verb],
  ...(name === undefined ? {} : { resourceNames: [name] }),
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const mergePatch = { 'Content-Type': 'application/merge-patch+json' };

async function pem(name = 'CN=jane', kind: keyof typeof algorithms = 'ecdsa'): Promise<string> {
  const algorithm = algorithms[kind];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const request = await Pkcs10CertificateRequestGenerator.create({
    name,
    keys,
    signingAlgorithm: algorithm,
  });
  return `${request.toString('pem')}\n`;
}

async function certificate(): Promise<string> {
  const keys = (await webcrypto.subtle.generateKey(algorithms.ecdsa, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const made = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=jane',
    keys,
    notBefore: new Date('2020-01-01'),
    notAfter: new Date('2040-01-01'),
    signingAlgorithm: algorithms.ecdsa,
  });
  return `${made.toString('pem')}\n`;
}

const body = (name: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { usages: ['client auth'], signerName: 'example.com/s', ...spec },
});

async function request(spec: object = {}): Promise<string> {
  const name = world.fresh('csr');
  const verdict = await requester.ask(
    'POST',
    place,
    body(name, { request: base64(await pem()), ...spec }),
  );
  expect(verdict.message).toBe('');
  return name;
}

const approved = (type = 'Approved', status = 'True') => ({
  status: { conditions: [{ type, status, reason: 'R', message: 'M' }] },
});

describe('who asks', () => {
  test('is written by the server, whatever the body says, and stays', async () => {
    const name = world.fresh('csr');
    const lie = { username: 'admin', uid: 'u', groups: ['system:masters'], extra: { a: ['b'] } };
    const made = await requester.ask(
      'POST',
      place,
      body(name, { request: base64(await pem()), ...lie }),
    );
    const truth = { username: requester.name, groups: ['system:authenticated'] };
    expect(made.body.spec).toMatchObject(truth);
    expect(made.body.spec).not.toHaveProperty('uid');
    expect(made.body.spec).not.toHaveProperty('extra');
    const changed = await requester.ask(
      'PATCH',
      `${place}/${name}`,
      { spec: lie, ...approved() },
      mergePatch,
    );
    expect(changed.code).toBe(200);
    expect(changed.body.spec).toMatchObject(truth);
    expect(JSON.stringify(changed.body.status)).not.toContain('Approved');
  });

  test('cannot bring the approval along', async () => {
    const name = world.fresh('csr');
    const made = await requester.ask('POST', place, {
      ...body(name, { request: base64(await pem()) }),
      ...approved(),
    });
    expect(made.code).toBe(201);
    expect(JSON.stringify(made.body.status)).not.toContain('Approved');
  });

  test.each([
    ['CN=x,O=system:masters', 'kubernetes.io/kube-apiserver-client', 403],
    ['CN=x,O=devs,O=system:masters', 'kubernetes.io/kube-apiserver-client', 403],
    ['CN=x,O=devs', 'kubernetes.io/kube-apiserver-client', 201],
    ['CN=x,O=system:masters', 'example.com/other', 201],
  ])('for %s of %s: %d', async (subject, signerName, code) => {
    const name = world.fresh('csr');
    const spec = { request: base64(await pem(subject)), signerName };
    const verdict = await requester.ask('POST', place, body(name, spec));
    expect(verdict.code).toBe(code);
    if (code === 201) return;
    expect(verdict.message).toBe(
      `certificatesigningrequests.${group} "${name}" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`,
    );
  });
});

describe('what is asked', () => {
  test.each<[string, (good: string) => object, string]>([
    [
      'no PEM',
      () => ({ request: base64('hello') }),
      'spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST',
    ],
    ['no request', () => ({ request: undefined }), 'PEM block type must be CERTIFICATE REQUEST'],
    ['no usages', (good) => ({ request: good, usages: [] }), 'spec.usages: Required value'],
    [
      'an unknown usage',
      (good) => ({ request: good, usages: ['client auth', 'world peace'] }),
      'spec.usages[1]: Unsupported value: "world peace": supported values: "any", "cert sign", "client auth"',
    ],
    [
      'a usage twice',
      (good) => ({ request: good, usages: ['any', 'any'] }),
      'spec.usages[1]: Duplicate value: "any"',
    ],
    ['no signer', (good) => ({ request: good, signerName: '' }), 'spec.signerName: Required value'],
    [
      'a signer without a path',
      (good) => ({ request: good, signerName: 'example.com' }),
      `spec.signerName: Invalid value: "example.com": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
    [
      'a signer of one label',
      (good) => ({ request: good, signerName: 'example/x' }),
      'spec.signerName: Invalid value: "example": should be a domain with at least two segments separated by dots',
    ],
    [
      'a signer with a bad label',
      (good) => ({ request: good, signerName: 'ex_ample.com/x' }),
      'spec.signerName: Invalid value: "ex_ample.com": validating label "ex_ample": a lowercase RFC 1123 label must consist of',
    ],
    [
      'the signer of old',
      (good) => ({ request: good, signerName: 'kubernetes.io/legacy-unknown' }),
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    [
      'five minutes',
      (good) => ({ request: good, expirationSeconds: 300 }),
      'spec.expirationSeconds: Invalid value: 300: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ])('%s', async (_title, make, problem) => {
    const name = world.fresh('csr');
    const verdict = await requester.ask('POST', place, body(name, make(base64(await pem()))));
    expect(verdict.message).toContain(`CertificateSigningRequest.${group} "${name}" is invalid: `);
    expect(verdict.message).toContain(problem);
    expect(verdict.code).toBe(422);
  });

  test.each(['ecdsa', 'rsa'] as const)('a request of another key (%s) is refused', async (kind) => {
    const good = Buffer.from(
      (await pem('CN=jane', kind)).replaceAll(/-----[^-]+-----|\s/g, ''),
      'base64',
    );
    good[good.length - 5] = (good[good.length - 5] as number) ^ 0xff;
    const text = `-----BEGIN CERTIFICATE REQUEST-----\n${good.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    const name = world.fresh('csr');
    const verdict = await requester.ask('POST', place, body(name, { request: base64(text) }));
    expect(verdict.message).toContain(
      kind === 'rsa' ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure',
    );
    const fine = await requester.ask(
      'POST',
      place,
      body(name, { request: base64(await pem('CN=j', kind)) }),
    );
    expect(fine.code).toBe(201);
  });
});

describe('approval', () => {
  const rows: readonly (readonly [string, AccessRule[], boolean])[] = [
    ['without a right on the signer', [], false],
    ['with "approve" on all signers', [signers('approve')], true],
    ['with "approve" on the signer', [signers('approve', 'example.com/s')], true],
    ['with "approve" on the domain', [signers('approve', 'example.com/*')], true],
    ['with "approve" on another signer', [signers('approve', 'example.com/t')], false],
    ['with "sign" on the signer', [signers('sign', 'example.com/s')], false],
  ];
  test.each(rows)('%s: %s', async (_title, rules, isAllowed) => {
    const who = await world.user([requests('/approval', ['update', 'patch']), ...rules]);
    for (const way of ['PATCH', 'PUT']) {
      const name = await request();
      const current = await world.admin.ask('GET', `${place}/${name}`);
      const verdict =
        way === 'PUT'
          ? await who.ask('PUT', `${place}/${name}/approval`, { ...current.body, ...approved() })
          : await who.ask('PATCH', `${place}/${name}/approval`, approved(), mergePatch);
      expect(verdict.message).toBe(
        isAllowed
          ? ''
          : `certificatesigningrequests.${group} "${name}" is forbidden: user not permitted to approve requests with signerName "example.com/s"`,
      );
    }
  });

  test('changes conditions only, once', async () => {
    const name = await request();
    const spec = { signerName: 'evil.com/s', username: 'admin' };
    const patched = await world.admin.ask(
      'PATCH',
      `${place}/${name}/approval`,
      { spec, status: { ...approved().status, certificate: base64(await certificate()) } },
      mergePatch,
    );
    expect(patched.body.spec).toMatchObject({
      signerName: 'example.com/s',
      username: requester.name,
    });
    expect(patched.body.status).not.toHaveProperty('certificate');
    const [condition] = (patched.body.status as { conditions: Record<string, string>[] })
      .conditions;
    expect(condition).toMatchObject({ type: 'Approved', status: 'True' });
    expect(condition?.lastUpdateTime).toMatch(/Z$/);
    const undo = await world.admin.ask(
      'PATCH',
      `${place}/${name}/approval`,
      { status: { conditions: [] } },
      mergePatch,
    );
    expect(undo.message).toContain(
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    );
    const both = {
      status: {
        conditions: [...approved().status.conditions, ...approved('Denied').status.conditions],
      },
    };
    const denied = await world.admin.ask('PATCH', `${place}/${name}/approval`, both, mergePatch);
    expect(denied.message).toContain('Approved and Denied conditions are mutually exclusive');
    const maybe = await world.admin.ask(
      'PATCH',
      `${place}/${name}/approval`,
      approved('Denied', 'False'),
      mergePatch,
    );
    expect(maybe.message).toContain(
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    );
  });
});

describe('signing', () => {
  test.each([
    ['without a right on the signer', [], false],
    ['with "sign" on the signer', [signers('sign', 'example.com/s')], true],
    ['with "sign" on the domain', [signers('sign', 'example.com/*')], true],
    ['with "approve" on the signer', [signers('approve', 'example.com/s')], false],
  ])('%s: %s', async (_title, rules, isAllowed) => {
    const who = await world.user([
      requests('/status', ['update', 'patch']),
      ...(rules as AccessRule[]),
    ]);
    const name = await request();
    const signed = { status: { certificate: base64(await certificate()) } };
    for (const change of [signed, approved('Failed')]) {
      const verdict = await who.ask('PATCH', `${place}/${name}/status`, change, mergePatch);
      expect(verdict.message).toBe(
        isAllowed
          ? ''
          : `certificatesigningrequests.${group} "${name}" is forbidden: user not permitted to sign requests with signerName "example.com/s"`,
      );
    }
    const idle = await who.ask('PATCH', `${place}/${name}/status`, {}, mergePatch);
    expect(idle.code).toBe(200);
  });

  test.each<[string, string, string]>([
    ['no PEM', 'hello', 'must contain at least one CERTIFICATE PEM block'],
    [
      'a key',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ],
  ])('with %s', async (_title, text, problem) => {
    const name = await request();
    const change = { status: { certificate: base64(text) } };
    const verdict = await world.admin.ask('PATCH', `${place}/${name}/status`, change, mergePatch);
    expect(verdict.message).toContain(
      `status.certificate: Invalid value: "<certificate data>": ${problem}`,
    );
  });

  test('happens once, and approves nothing', async () => {
    const name = await request();
    const sign = async () => ({ status: { certificate: base64(await certificate()) } });
    const at = `${place}/${name}/status`;
    expect((await world.admin.ask('PATCH', at, await sign(), mergePatch)).code).toBe(200);
    expect((await world.admin.ask('PATCH', at, await sign(), mergePatch)).message).toContain(
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    );
    expect((await world.admin.ask('PATCH', at, approved(), mergePatch)).message).toContain(
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    );
    expect(
      (await world.admin.ask('PATCH', `${place}/${name}`, await sign(), mergePatch)).code,
    ).toBe(200);
  });
});

test('requests are selected by their signer', async () => {
  const signerName = `${world.fresh('s')}.example.com/x`;
  const name = await request({ signerName });
  const path = `${place}?fieldSelector=${encodeURIComponent(`spec.signerName=${signerName}`)}`;
  const { body } = await requester.ask('GET', path);
  expect(
    (body.items as { metadata: { name: string } }[]).map((each) => each.metadata.name),
  ).toEqual([name]);
});
