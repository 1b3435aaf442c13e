import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { builtInResources, openApiV2, typesOfDefinitions } from '@waygate/schema';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import * as typeText from '../../packages/schema/src/typescript/type-text.ts';
import { root } from '../code-blocks.ts';

// Types that are made from schemas: those of @waygate/kube are what the facts say, and those of anybody's
// definitions compile.

type Files = (root: string, rooms: object) => Record<string, string>;
const script: string = '../../scripts/kube-types.mjs';
const { kubeTypeFiles } = (await import(script)) as { kubeTypeFiles: Files };
const facts = join(root, '../shared/facts/crds');

const files = kubeTypeFiles(root, {
  openApiV2,
  builtInResources,
  typesOfDefinitions,
  ...typeText,
});

describe('the types of kinds', () => {
  test.each(Object.entries(files).map(([path, text]) => [relative(root, path), text]))(
    '%s is what the facts say',
    (path, text) => {
      const told = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
      expect(told === text, 'run `npm run docs`').toBe(true);
    },
  );

  test('nothing else lies there', () => {
    const directory = join(root, 'packages/kube/src/api/generated');
    expect(
      readdirSync(directory)
        .map((name) => join(directory, name))
        .sort(),
    ).toEqual(Object.keys(files).sort());
  });

  test('every built-in resource has its kind, and every definition its fields', () => {
    const all = Object.values(files).join('\n');
    for (const { kind, plural, group, version } of builtInResources())
      expect(all).toContain(
        `defineKind<${kind}>({\n  group: '${group}',\n  version: '${version}',\n  kind: '${kind}',\n  plural: '${plural}',`,
      );
    const { definitions } = openApiV2() as unknown as {
      definitions: Record<string, { properties?: object }>;
    };
    const pod = Object.keys(definitions['io.k8s.api.core.v1.PodSpec']?.properties ?? {});
    const text = /interface PodSpec \{[^}]*\}/.exec(all)?.[0] ?? '';
    expect(pod.length).toBeGreaterThan(40);
    expect(pod.filter((name) => !text.includes(`  ${name}`))).toEqual([]);
  });
});

test.skipIf(!existsSync(facts))(
  'types of all kinds of definitions compile, strictly',
  () => {
    const modules = new Map<string, string>([[at('kube.ts'), kube]]);
    for (const name of readdirSync(facts).filter((file) => file.endsWith('.json'))) {
      const objects = JSON.parse(readFileSync(join(facts, name), 'utf8')) as { kind: string }[];
      const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
      const text = typesOfDefinitions(definitions as never[], { from: './kube.ts' });
      modules.set(at(name.replace('.json', '.ts')), text);
    }
    expect(modules.size).toBeGreaterThan(15);
    expect(problemsIn(modules)).toEqual([]);
  },
  120_000,
);

/** As much of the client as generated modules use. */
const kube = `export interface KubeObject { apiVersion?: string; kind?: string; metadata: { name?: string } }
export function defineKind<T extends KubeObject>(kind: object): { kind: object; object?: T } { return { kind }; }
`;

function at(name: string): string {
  return join(root, 'test/packages', name);
}

function problemsIn(modules: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es5.d.ts'],
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    noEmit: true,
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => modules.has(path) || fileExists(path);
  host.readFile = (path) => modules.get(path) ?? readFile(path);
  const program = ts.createProgram([...modules.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
}
