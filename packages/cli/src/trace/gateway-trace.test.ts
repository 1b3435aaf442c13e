import type { KongPlugin } from '@waygate/kong';
import { expect, test } from 'vitest';
import { pluginsFor } from './gateway-trace.ts';

const plugins: KongPlugin[] = [
  { id: '1', name: 'cors' },
  { id: '2', name: 'key-auth', service: { id: 's' } },
  { id: '3', name: 'key-auth', route: { id: 'r' } },
  { id: '4', name: 'key-auth' },
  { id: '5', name: 'rate-limiting', route: { id: 'r' }, service: { id: 's' } },
  { id: '6', name: 'rate-limiting', route: { id: 'r' } },
  { id: '7', name: 'acl', route: { id: 'another' } },
  { id: '8', name: 'jwt', enabled: false },
  { id: '9', name: 'rate-limiting', route: { id: 'r' }, consumer: { id: 'c' } },
];

test('of each plugin the most specific one applies', () => {
  const { plugins: applied, consumerPlugins } = pluginsFor(plugins, 'r', 's');
  expect(applied.map(({ name, scope }) => `${name}: ${scope}`)).toEqual([
    'cors: global',
    'key-auth: route',
    'rate-limiting: route and service',
  ]);
  expect(consumerPlugins).toBe(1);
});

test('a route without a service has no plugins of services', () => {
  const { plugins: applied } = pluginsFor(plugins, 'x', undefined);
  expect(applied.map(({ name, scope }) => `${name}: ${scope}`)).toEqual([
    'cors: global',
    'key-auth: global',
  ]);
});
