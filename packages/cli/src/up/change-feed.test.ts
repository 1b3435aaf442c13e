import { expect, test } from 'vitest';
import { describeEvent, ToldEvents } from './change-feed.ts';

const event = (message: string, more: object = {}) => ({
  metadata: { name: 'x', namespace: 'shop' },
  involvedObject: { kind: 'Ingress', namespace: 'shop', name: 'orders' },
  type: 'Warning',
  reason: 'KongConfigurationTranslationFailed',
  message,
  ...more,
});

test('an Event becomes a line that names its object', () => {
  expect(describeEvent(event('no plugin named api-key'))).toBe(
    'Ingress shop/orders: KongConfigurationTranslationFailed (warning): no plugin named api-key',
  );
});

test('a message of several lines goes below', () => {
  expect(describeEvent(event('Service/shop/a created\nIngress/shop/b created'))).toBe(
    'Ingress shop/orders: KongConfigurationTranslationFailed (warning):' +
      '\n              Service/shop/a created\n              Ingress/shop/b created',
  );
});

test('a thousand objects are counted by what became of them', () => {
  const created = Array.from({ length: 998 }, (_, n) => `ConfigMap/shop/c${n} created`);
  const text = describeEvent(
    event([...created, 'Service/shop/web configured', 'Ingress/shop/web deleted'].join('\n')),
  );
  expect(text.split('\n').map((line) => line.trim())).toEqual([
    'Ingress shop/orders: KongConfigurationTranslationFailed (warning):',
    '998 × ConfigMap created',
    'Service/shop/web configured',
    'Ingress/shop/web deleted',
  ]);
});

test('lines that are no objects are cut', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n} of something`);
  const text = describeEvent(event(lines.join('\n'))).split('\n');
  expect(text).toHaveLength(14);
  expect(text.at(-1)?.trim()).toBe('… and 8 more');
});

test('the same thing happening twice is told twice, and read twice once', () => {
  const told = new ToldEvents();
  const normal = (count: number) => event('changed', { type: 'Normal', count });
  expect([1, 1, 2, 2].map((count) => told.isNews(normal(count)))).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('what fails again in the same way is no news, until it has worked in between', () => {
  const told = new ToldEvents();
  const failed = (count: number, message = 'no') => told.isNews(event(message, { count }));
  expect([failed(1), failed(2), failed(3, 'other'), failed(4, 'other')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  told.isNews(event('fine', { metadata: { name: 'y', namespace: 'shop' }, type: 'Normal' }));
  expect(failed(5, 'other')).toBe(true);
});
