import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, printYaml } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { customResourceDefinitions } from './custom-resource-definitions.ts';
import type { StructuralSchema } from './schema-parts.ts';

const directory = join(import.meta.dirname, '../../../../deploy/crds/flux');
const fileOf = (name: string) => join(directory, `${name}.yaml`);

describe('the custom resource definitions', () => {
  // WAYGATE_WRITE_CRDS=1 npx vitest run packages/gitops/src/crds writes the files anew;
  // `npm run format` then gives them the form of all YAML here.
  if (process.env.WAYGATE_WRITE_CRDS === '1') {
    mkdirSync(directory, { recursive: true });
    for (const definition of customResourceDefinitions)
      writeFileSync(fileOf(definition.metadata.name ?? ''), printYaml(definition));
  }

  test('are in deploy/crds/flux, and no other is', () => {
    const names = customResourceDefinitions.map(({ metadata }) => `${metadata.name}.yaml`);
    const files = readdirSync(directory).filter((name) => name !== 'kustomization.yaml');
    expect(files.sort()).toEqual(names.sort());
    for (const definition of customResourceDefinitions) {
      const file = readFileSync(fileOf(definition.metadata.name ?? ''), 'utf8');
      expect(parseYaml(file)).toEqual(parseYaml(printYaml(definition)));
    }
  });

  test('have structural schemas: every part says its type', () => {
    const check = (schema: StructuralSchema, path: string): void => {
      expect(schema.type, path).toBeDefined();
      for (const [name, part] of Object.entries(schema.properties ?? {}))
        check(part, `${path}.${name}`);
      if (schema.items !== undefined) check(schema.items, `${path}[]`);
      if (schema.additionalProperties !== undefined)
        check(schema.additionalProperties, `${path}.*`);
      for (const name of schema.required ?? [])
        expect(Object.keys(schema.properties ?? {}), `${path} requires`).toContain(name);
    };
    for (const { spec, metadata } of customResourceDefinitions) {
      expect(metadata.name).toBe(`${spec.names.plural}.${spec.group}`);
      for (const version of spec.versions)
        check(version.schema?.openAPIV3Schema as StructuralSchema, spec.names.kind);
    }
  });
});
