import { type JsonObject, maskEntity, parseSchema, type WireSchema } from '@waygate/kong';
import { expect, test } from 'vitest';
import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { pluginMap } from './built-in-plugins.ts';

// What prints entities knows Kong's schemas, and not those of plugins that only this gateway has.
test('whatever prints entities masks the secrets of plugins that Kong does not have', () => {
  const canary = 'canary-51Vt';
  let found = 0;
  for (const { name, schema } of pluginMap({}, new GatewayMetrics()).values()) {
    if (schema === undefined) continue;
    const fields = parseSchema(name, schema as unknown as WireSchema).fields.get('config')?.fields;
    for (const [field, { encrypted }] of fields ?? []) {
      if (encrypted !== true) continue;
      found += 1;
      const entity = { name, config: { [field]: [canary] } } as unknown as JsonObject;
      expect(JSON.stringify(maskEntity('plugins', entity)), `${name} ${field}`).not.toContain(
        canary,
      );
    }
  }
  expect(found).toBeGreaterThan(0);
});
