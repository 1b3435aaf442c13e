import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isEventWanted, payloadOf, receiverTypes } from './receiver-types.ts';
import { webhookPath } from './webhook-path.ts';

const token = 'tok en\n';
const json = '{"ref":"main"}';
const hmac = (algorithm: string, body: string, key = token) =>
  createHmac(algorithm, key).update(body).digest('hex');
const form = `payload=${encodeURIComponent(json)}`;
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
const cdEvent = JSON.stringify({
  context: { version: '0.4.1', id: '1', source: 's', type: 't', timestamp: 'now' },
  subject: { id: 'x' },
});

describe('who may post', () => {
  test.each<[string, Record<string, string>, string, string | undefined]>([
    ['generic', {}, 'anything', undefined],
    ['generic-hmac', { 'x-signature': `sha256=${hmac('sha256', json)}` }, json, undefined],
    ['generic-hmac', { 'x-signature': `sha512=${hmac('sha512', json)}` }, json, undefined],
    ['generic-hmac', { 'x-signature': `sha1=${hmac('sha1', json)}` }, json, undefined],
    ['generic-hmac', { 'x-signature': `md5=${hmac('md5', json)}` }, json, 'no algorithm'],
    ['generic-hmac', { 'x-signature': `sha256=${hmac('sha256', json)}` }, `${json} `, 'wrong'],
    ['generic-hmac', { 'x-signature': `sha256=${hmac('sha256', json, 'x')}` }, json, 'wrong'],
    ['generic-hmac', { 'x-signature': 'sha256=' }, json, 'wrong'],
    ['generic-hmac', {}, json, 'missing'],
    ['github', { 'x-hub-signature-256': `sha256=${hmac('sha256', json)}` }, json, undefined],
    ['github', { 'x-hub-signature': `sha1=${hmac('sha1', json)}` }, json, undefined],
    [
      'github',
      { 'x-hub-signature-256': 'sha256=00', 'x-hub-signature': `sha1=${hmac('sha1', json)}` },
      json,
      'wrong',
    ],
    [
      'github',
      { ...asForm, 'x-hub-signature-256': `sha256=${hmac('sha256', form)}` },
      form,
      undefined,
    ],
    ['github', { 'x-hub-signature-256': `sha256=${hmac('sha256', 'no')}` }, 'no', 'no JSON'],
    ['bitbucket', { 'x-hub-signature': `sha256=${hmac('sha256', json)}` }, json, undefined],
    ['gitlab', { 'x-gitlab-token': token }, json, undefined],
    ['gitlab', { 'x-gitlab-token': token.trim() }, json, 'wrong'],
    ['gitlab', {}, json, 'wrong'],
    ['harbor', { authorization: token }, json, undefined],
    ['harbor', { authorization: `Bearer ${token}` }, json, 'wrong'],
    ['nexus', { 'x-nexus-webhook-signature': hmac('sha1', json) }, json, undefined],
    ['nexus', { 'x-nexus-webhook-signature': hmac('sha256', json) }, json, 'wrong'],
    ['dockerhub', {}, json, undefined],
    ['dockerhub', {}, 'no', 'no JSON'],
    ['quay', {}, '[]', 'no JSON object'],
    ['acr', {}, json, undefined],
    ['cdevents', { 'ce-type': 't' }, cdEvent, undefined],
    ['cdevents', { 'ce-type': 'other' }, cdEvent, 'Ce-Type'],
    ['cdevents', {}, json, 'no CDEvent'],
  ])('%s %j', (type, headers, body, refusal) => {
    const said = receiverTypes.get(type)?.refusal({ headers, body: Buffer.from(body), token });
    if (refusal === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(refusal);
  });
});

test.each([
  ['github', { 'x-github-event': 'push' }, ['Push', 'ping'], true],
  ['github', { 'x-github-event': 'ping' }, ['push'], false],
  ['github', { 'x-github-event': 'ping' }, [], true],
  ['gitlab', { 'x-gitlab-event': 'Push Hook' }, ['push hook'], true],
  ['generic', {}, ['push'], true],
] as const)('%s %j of %j: %s', (type, headers, wanted, expected) => {
  expect(isEventWanted(receiverTypes.get(type)!, headers, wanted)).toBe(expected);
});

test('a form carries its payload', () => {
  expect(payloadOf({ headers: asForm, body: Buffer.from(form) })).toEqual({ ref: 'main' });
  expect(payloadOf({ headers: asForm, body: Buffer.from('x=1') })).toBeUndefined();
});

test('the path is made from the token as it is, the name and the namespace', () => {
  // printf tokennamenamespace | sha256sum
  expect(webhookPath('token', 'name', 'namespace')).toBe(
    '/hook/033cd85fb94eef8b750b62b37d50fa65adb47b1f0ab5d6a8f9f6692e516e686a',
  );
  expect(webhookPath('token', 'name', 'namespace')).not.toBe(
    webhookPath('token\n', 'name', 'namespace'),
  );
});
