import { FileTree, generateKustomization, substitute, substituteResource } from '@waygate/gitops';
import { build, memoryFileSystem } from '@waygate/kustomize';
import { printYaml } from '@waygate/text';
import { fail, pass } from '../driver.ts';
import { type Check, compare, show } from './flux-case.ts';

const variablesOf = (vars: unknown) =>
  new Map(Object.entries((vars ?? {}) as Record<string, string>));

const envsubst: Check = (one) =>
  compare(one, () =>
    substitute(String(one.input), variablesOf(one.vars), { isStrict: one.strict === true }),
  );

/** Prints a resource as kustomize does, and puts variables in. */
const varsub: Check = (one) =>
  compare(one, async () => {
    const files = { 'kustomization.yaml': 'resources: [r.yaml]', 'r.yaml': String(one.resource) };
    const { resources } = await build(memoryFileSystem(files), '/', { reorder: 'none' });
    const resource = resources[0];
    if (resource === undefined) throw new Error('kustomize built nothing');
    const filled = substituteResource(resource, variablesOf(one.vars), {
      isStrict: one.strict === true,
      always: one.always === true,
    });
    return filled === undefined ? { skipped: true } : printYaml(filled);
  });

interface Generated {
  readonly action: string;
  readonly file: string;
  readonly kustomization: string;
  readonly output?: string;
  readonly buildError?: string;
}

const generator: Check = async (one) => {
  const files = Object.entries(one.files as Record<string, string>);
  const tree = FileTree.of(
    files.map(([path, content]) => ({ path, content: Buffer.from(content) })),
  );
  const directory = `/${String(one.path ?? '')}`;
  tree.addDirectory(directory);
  let generated: ReturnType<typeof generateKustomization>;
  try {
    generated = generateKustomization(tree, directory, one.spec as never);
  } catch (error) {
    if (one.expectedError !== undefined) return pass;
    return fail(`generation failed: ${(error as Error).message}`);
  }
  if (one.expectedError !== undefined) return fail(`wanted an error: ${one.expectedError}`);
  const expected = one.expected as Generated;
  const file = generated.file.slice(1);
  if (generated.action !== expected.action || file !== expected.file) {
    return fail(`wanted ${expected.action} ${expected.file}, got ${generated.action} ${file}`);
  }
  if (generated.text !== expected.kustomization) {
    return fail(`wanted ${show(expected.kustomization)}, got ${show(generated.text)}`);
  }
  const result = await build(tree, directory, {
    loadRestrictor: 'LoadRestrictionsNone',
    reorder: 'none',
  });
  const broken = result.problems.find(({ severity }) => severity === 'error');
  if (expected.buildError !== undefined) {
    return broken === undefined ? fail(`wanted the build to fail: ${expected.buildError}`) : pass;
  }
  if (broken !== undefined) return fail(`the build failed: ${broken.message}`);
  const output = result.toYaml();
  return output === (expected.output ?? '')
    ? pass
    : fail(`wanted ${show(expected.output)}, got ${show(output)}`);
};

export const manifestChecks: Readonly<Record<string, Check>> = { envsubst, varsub, generator };
