import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestServer } from '@waygate/apiserver';
import { customResourceDefinitions as fluxDefinitions } from '@waygate/gitops';
import {
  gatewayApiDefinitions,
  customResourceDefinitions as kongDefinitions,
} from '@waygate/ingress';
import { KubeClient, staticToken } from '@waygate/kube';
import { type CustomResourceDefinition, kinds } from '@waygate/schema';
import { parseYaml } from '@waygate/text';
import { describe, expect, test } from 'vitest';
import { workspace } from '../real/processes.ts';

// The definitions of deploy/crds and of the embedded API are those of Kong Ingress Controller, Flux and the Gateway API,
// with words of our own: `node scripts/crds.mjs` makes them of the facts.

interface Schema {
  readonly [name: string]: unknown;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

const facts = join(workspace, '../shared/facts/crds');
const hasFacts = existsSync(facts);
if (!hasFacts) console.warn('the definitions are not compared: the facts on them are not here');

const sets = { flux: fluxDefinitions(), kong: kongDefinitions() };
const all = [...sets.flux, ...sets.kong, ...gatewayApiDefinitions()];
const schemaOf = ({ spec }: CustomResourceDefinition, version: string): Schema =>
  spec.versions.find(({ name }) => name === version)!.schema!.openAPIV3Schema as Schema;

/** Visits every part of a schema with its path. */
function visit(schema: Schema, path: string, see: (schema: Schema, path: string) => void): void {
  see(schema, path);
  for (const [name, part] of Object.entries(schema.properties ?? {}))
    visit(part, `${path}.${name}`, see);
  if (schema.items !== undefined) visit(schema.items, `${path}[]`, see);
  if (typeof schema.additionalProperties === 'object')
    visit(schema.additionalProperties, `${path}.*`, see);
}

/** What a schema says, by path, without its prose. */
function sayings(schema: Schema): Map<string, string> {
  const found = new Map<string, string>();
  visit(
    schema,
    '',
    ({ description: _, properties: _p, items: _i, additionalProperties: more, ...own }, path) => {
      const kept = typeof more === 'boolean' ? { ...own, additionalProperties: more } : own;
      const sorted = Object.entries(kept).sort(([left], [right]) => (left < right ? -1 : 1));
      found.set(path, JSON.stringify(sorted));
    },
  );
  return found;
}

describe.each(Object.entries(sets))('deploy/crds/%s', (name, definitions) => {
  const directory = join(workspace, 'deploy/crds', name);

  test('is what the room has as data', () => {
    const names = definitions.map(({ metadata }) => `${metadata.name}.yaml`);
    expect(readdirSync(directory).sort()).toEqual([...names, 'kustomization.yaml'].sort());
    const { resources } = parseYaml(
      readFileSync(join(directory, 'kustomization.yaml'), 'utf8'),
    ) as {
      resources: string[];
    };
    expect(resources).toEqual(names);
    for (const definition of definitions)
      expect(
        parseYaml(readFileSync(join(directory, `${definition.metadata.name}.yaml`), 'utf8')),
      ).toEqual(definition);
  });
});

test('every definition says of every field what it is for', () => {
  for (const { spec } of all)
    for (const version of spec.versions) {
      const schema = version.schema!.openAPIV3Schema as Schema;
      expect(schema.description, spec.names.kind).toBeDefined();
      // Of the metadata a real server lets nobody say anything.
      expect(schema.properties?.metadata, spec.names.kind).toEqual({ type: 'object' });
      visit(schema, spec.names.kind, (part, path) => {
        const { metadata: _theirs, ...own } = part.properties ?? {};
        const fields = part === schema ? own : (part.properties ?? {});
        for (const [field, part] of Object.entries(fields))
          expect(part.description, `${path}.${field}`).toMatch(/^.{3,119}\.$/);
      });
    }
});

test('what the controller reads of the Gateway API is there, ListenerSets too', () => {
  expect(gatewayApiDefinitions().map(({ spec }) => spec.names.kind)).toContain('ListenerSet');
});

describe.skipIf(!hasFacts)('what others define', () => {
  const read = (file: string) =>
    (JSON.parse(readFileSync(join(facts, file), 'utf8')) as CustomResourceDefinition[]).filter(
      ({ kind }) => kind === 'CustomResourceDefinition',
    );
  const upstream = [
    'flux-source',
    'flux-kustomize',
    'kong',
    'gateway-api-1.6.1-experimental',
  ].flatMap((file) => read(`${file}.json`));
  const isOurs = ({ metadata }: CustomResourceDefinition) =>
    all.some((one) => one.metadata.name === metadata.name);

  /** Where we take more than they do: these say something else, and nothing is missing. */
  const wider: Readonly<Record<string, readonly string[]>> = {
    GitRepository: ['.spec.url'],
  };

  test.each(upstream.filter(isOurs).map((one) => [one.spec.names.kind, one] as const))(
    '%s: fields, types, defaults and rules',
    (kind, theirs) => {
      const ours = all.find(({ metadata }) => metadata.name === theirs.metadata.name)!;
      expect(ours.spec.scope).toBe(theirs.spec.scope);
      expect(ours.spec.names).toEqual(theirs.spec.names);
      for (const version of theirs.spec.versions) {
        const known = sayings(schemaOf(ours, version.name));
        for (const [path, saying] of sayings(schemaOf(theirs, version.name)))
          if (!wider[kind]?.includes(path)) expect(known.get(path), path).toBe(saying);
        const { schema: _ours, ...own } = ours.spec.versions.find(
          ({ name }) => name === version.name,
        )!;
        const { schema: _theirs, ...rest } = version;
        expect(own).toEqual(rest);
      }
    },
  );

  test('leaves out nothing of Kong', () => {
    expect(read('kong.json').filter((one) => !isOurs(one))).toEqual([]);
  });
});

test('an API server takes them all, and their rules', async () => {
  const server = await startTestServer();
  const client = new KubeClient({
    server: server.url,
    namespace: 'default',
    credentials: staticToken(server.adminToken),
  });
  try {
    for (const definition of all)
      await client.resource(kinds.CustomResourceDefinition).create(definition);
    const policies = await client.resourceOf({
      apiVersion: 'configuration.konghq.com/v1beta1',
      kind: 'KongUpstreamPolicy',
    });
    const create = (spec: object) =>
      policies.create({ metadata: { generateName: 'p-', namespace: 'default' }, spec });
    await create({ algorithm: 'consistent-hashing', hashOn: { header: 'x' } });
    await expect(create({ hashOn: { header: 'x', cookie: 'y' } })).rejects.toThrow(/hashOn/);
    await expect(create({ algorithm: 'round-robin', hashOn: { header: 'x' } })).rejects.toThrow(
      /algorithm/,
    );
  } finally {
    await client.close();
    await server.stop();
  }
});
