import { createServer } from 'node:net';
import { KubeError } from '@waygate/kube';
import { RuntimeError } from '@waygate/runtime';
import { expect, test } from 'vitest';
import { ordinaryFailure } from './ordinary-failure.ts';

test.each([
  [new KubeError('WG_KUBE_CONNECTION', 'no answer'), 'no answer'],
  [new RuntimeError('WG_RUNTIME_LEADERSHIP_LOST', 'lost'), 'lost'],
  [
    Object.assign(new Error('x'), {
      code: 'EADDRINUSE',
      syscall: 'listen',
      address: '::1',
      port: 80,
    }),
    'cannot listen on [::1]:80: somebody listens there already',
  ],
])('%s is the world’s doing', (error, message) => {
  expect(ordinaryFailure(error)?.message).toBe(message);
});

test.each([
  new TypeError('x is undefined'),
  new RuntimeError('WG_RUNTIME_STATE', 'started twice'),
  Object.assign(new Error('x'), { code: 'EADDRINUSE', syscall: 'connect' }),
  'a text',
])('%s is a defect', (error) => {
  expect(ordinaryFailure(error)).toBeUndefined();
});

test('a port that is taken is told as Node.js says it', async () => {
  const holder = createServer();
  const address = await new Promise<{ port: number }>((resolve) => {
    holder.listen(0, '127.0.0.1', () => resolve(holder.address() as { port: number }));
  });
  const second = createServer();
  const error = await new Promise((resolve) => {
    second.once('error', resolve);
    second.listen(address.port, '127.0.0.1');
  });
  holder.close();
  expect(ordinaryFailure(error)?.message).toBe(
    `cannot listen on 127.0.0.1:${address.port}: somebody listens there already`,
  );
});
