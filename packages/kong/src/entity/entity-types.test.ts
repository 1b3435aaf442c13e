import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describedSchema } from '../schema/described-schema.ts';
import { type EntityKind, entityKinds } from './entity-kinds.ts';

const generator = new URL('../../../../scripts/kong-types.mjs', import.meta.url);

it('has the types of entities that the schemas and the table of kinds lead to', async () => {
  const { kongTypes } = (await import(generator.href)) as {
    kongTypes(kinds: readonly EntityKind[], schemaOf: typeof describedSchema): string;
  };
  const file = fileURLToPath(new URL('./generated/entity-types.ts', import.meta.url));
  // `npm run build && npm run docs` makes them anew.
  expect(readFileSync(file, 'utf8')).toBe(kongTypes(entityKinds, describedSchema));
});
