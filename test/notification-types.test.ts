import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerTypes, receiverTypes } from '@waygate/gitops';
import { parseYaml } from '@waygate/text';
import { expect, test } from 'vitest';
import { workspace } from './real/processes.ts';

// What users may write in a spec is told or refused by name, and the page on Flux says which.

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: {
          readonly properties: {
            readonly spec: {
              readonly properties: { readonly type: { readonly enum: readonly string[] } };
            };
          };
        };
      };
    }[];
  };
}

function typesOf(plural: string): string[] {
  const file = `deploy/crds/flux/${plural}.notification.toolkit.fluxcd.io.yaml`;
  const text = readFileSync(join(workspace, file), 'utf8');
  const { spec } = parseYaml(text) as unknown as Definition;
  const all = spec.versions.flatMap(
    ({ schema }) => schema.openAPIV3Schema.properties.spec.properties.type.enum,
  );
  return [...new Set(all)].sort();
}

const page = readFileSync(join(workspace, 'docs/compatibility/flux.md'), 'utf8');

test.each([
  ['providers', providerTypes],
  ['receivers', receiverTypes],
] as const)('every type of %s is served, or named as one that is not', (plural, known) => {
  const types = typesOf(plural);
  expect([...known.keys()].filter((type) => !types.includes(type))).toEqual([]);
  const refused = types.filter((type) => !known.has(type));
  for (const type of refused) expect(page).toContain(`\`${type}\``);
  if (plural === 'providers') expect(refused).toEqual([]);
});
