import { expect, test } from 'vitest';
import { describeEvent } from './change-feed.ts';

const event = (message: string) => ({
  metadata: { name: 'x', namespace: 'shop' },
  involvedObject: { kind: 'Ingress', namespace: 'shop', name: 'orders' },
  type: 'Warning',
  reason: 'KongConfigurationTranslationFailed',
  message,
});

test('an Event becomes a line that names its object', () => {
  expect(describeEvent(event('no plugin named api-key'))).toBe(
    'Ingress shop/orders: KongConfigurationTranslationFailed (warning): no plugin named api-key',
  );
});

test('a message of many lines goes below, and is cut', () => {
  const text = describeEvent(
    event(Array.from({ length: 20 }, (_, n) => `object ${n} created`).join('\n')),
  );
  const lines = text.split('\n');
  expect(lines[1]?.trim()).toBe('object 0 created');
  expect(lines).toHaveLength(14);
  expect(lines.at(-1)?.trim()).toBe('… and 8 more');
});
