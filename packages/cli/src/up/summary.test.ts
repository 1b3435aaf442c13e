import { expect, test } from 'vitest';
import { summary } from './summary.ts';

const addresses = {
  apiUrl: 'https://127.0.0.1:1',
  httpUrl: 'http://127.0.0.1:2',
  httpsUrl: 'https://127.0.0.1:3',
  adminUrl: 'http://127.0.0.1:4',
  adminTokenFile: '/state/admin-token',
  kubeconfig: '/state/kubeconfig',
} as Parameters<typeof summary>[0];
const project = { try: { path: '/catalog', headers: {} } } as Parameters<typeof summary>[1];

test.each([
  ['from a shell', {}, '  waygate '],
  ['under npm', { npm_command: 'exec' }, '  npx --no waygate '],
  ['by npm start', { npm_command: 'start' }, '  npx --no waygate '],
])('names the program as it is called %s', (_, env, prefix) => {
  const text = summary(addresses, project, env);
  expect(text).toContain(`${prefix}gateway dump `);
  expect(text).toContain(`${prefix}trace http://127.0.0.1:2/catalog\n`);
  // npx would fetch the name from wherever it is published.
  expect(text).not.toContain('npx waygate');
});
