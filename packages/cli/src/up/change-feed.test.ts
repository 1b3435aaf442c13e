import { expect, test } from 'vitest';
import { describeEvent } from './change-feed.ts';

test('an Event becomes one line that names its object', () => {
  const line = describeEvent({
    metadata: { name: 'x', namespace: 'shop' },
    involvedObject: { kind: 'Ingress', namespace: 'shop', name: 'orders' },
    type: 'Warning',
    reason: 'KongConfigurationTranslationFailed',
    message: 'no plugin\n  named api-key',
  });
  expect(line).toBe(
    'Ingress shop/orders: KongConfigurationTranslationFailed (warning): no plugin; named api-key',
  );
});
