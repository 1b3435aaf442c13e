import { expect, test } from 'vitest';
import { explainNetworkError } from './explain-network-error.ts';
import { TimeoutError } from './linked-signal.ts';
import { sleep } from './sleep.ts';

const failed = (code: string) =>
  Object.assign(new Error('raw'), { code, address: '10.0.0.1', port: 443, hostname: 'git.test' });
const unknown = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

test.each<[unknown, string]>([
  [failed('ECONNREFUSED'), 'dial tcp 10.0.0.1:443: connect: connection refused'],
  [failed('ENOTFOUND'), 'dial tcp: lookup git.test: no such host'],
  [failed('EAI_AGAIN'), 'dial tcp: lookup git.test: no such host'],
  [failed('ETIMEDOUT'), 'dial tcp 10.0.0.1:443: connect: connection timed out'],
  [failed('EHOSTUNREACH'), 'dial tcp 10.0.0.1:443: connect: no route to host'],
  [failed('ENETUNREACH'), 'dial tcp 10.0.0.1:443: connect: no route to host'],
  [failed('ECONNRESET'), 'EOF'],
  [failed('EPIPE'), 'EOF'],
  [failed('SELF_SIGNED_CERT_IN_CHAIN'), unknown],
  [failed('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), unknown],
  [
    failed('CERT_HAS_EXPIRED'),
    'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
  ],
  [
    failed('ERR_TLS_CERT_ALTNAME_INVALID'),
    'tls: failed to verify certificate: x509: certificate is not valid for this host',
  ],
  [failed('EPROTO'), 'http: server gave HTTP response to HTTPS client'],
  [failed('EODD'), 'raw'],
  [new TimeoutError(5), 'context deadline exceeded'],
  [
    new AggregateError([failed('ECONNREFUSED'), failed('EPIPE')]),
    'dial tcp 10.0.0.1:443: connect: connection refused',
  ],
  [new AggregateError([], 'none'), 'none'],
  ['only words', 'only words'],
])('%s', (error, expected) => {
  expect(explainNetworkError(error)).toBe(expected);
});

test('a sleep ends when its time is over, or with the reason of its signal', async () => {
  await sleep(1);
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(sleep(60_000, controller.signal)).rejects.toThrow('enough');
  await sleep(1, new AbortController().signal);
});
