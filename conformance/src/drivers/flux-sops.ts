import {
  decryptFile,
  decryptionKeysOf,
  FileTree,
  SopsDecryptor,
  type SopsFormat,
} from '@waygate/gitops';
import { type BuiltResource, build } from '@waygate/kustomize';
import type { DynamicObject } from '@waygate/schema';
import { equalJson, isObject, parseYaml, parseYamlAll, printYaml } from '@waygate/text';
import type { Outcome } from '../driver.ts';
import { type Check, compare, type FluxCase } from './flux-case.ts';

const keysOf = (one: FluxCase) => decryptionKeysOf((one.keys ?? {}) as Record<string, string>);

/** Where sops itself refuses a file that was tampered with, so do we: Flux does not look. */
function wanted(one: FluxCase): FluxCase {
  const refusal = isObject(one.realSops) ? one.realSops.error : undefined;
  return typeof refusal === 'string' ? { ...one, expectedError: refusal } : one;
}

/** Quotes and places of comments are not the matter in YAML: the data is. */
const sameYaml = (actual: unknown, expected: unknown) =>
  equalJson(parseYamlAll(String(actual)), parseYamlAll(String(expected)));

function checkFile(one: FluxCase): Promise<Outcome> {
  const output = String(one.out) as SopsFormat;
  return compare(
    wanted(one),
    () => decryptFile(String(one.encrypted), keysOf(one), String(one.in) as SopsFormat, output),
    output === 'yaml' ? sameYaml : equalJson,
  );
}

function checkResource(one: FluxCase): Promise<Outcome> {
  return compare(one, async () => {
    const object = parseYaml(String(one.encrypted)) as DynamicObject;
    if (one.noDecryption === true || one.decryption === false) return { untouched: true };
    const plain = await new SopsDecryptor({ keys: keysOf(one) }).decryptObject(object);
    return plain === object && isObject(one.expected) ? { untouched: true } : printYaml(plain);
  });
}

function checkDirectory(one: FluxCase): Promise<Outcome> {
  return compare(
    wanted(one),
    async () => {
      const files = Object.entries(one.files as Record<string, string>);
      const tree = FileTree.of(
        files.map(([path, content]) => ({ path, content: Buffer.from(content) })),
      ).overlay();
      const directory = `/${String(one.path ?? '')}`;
      const decryptor = new SopsDecryptor({ keys: keysOf(one) });
      await decryptor.decryptFiles(tree, directory);
      const result = await build(tree, directory, {
        loadRestrictor: 'LoadRestrictionsNone',
        reorder: 'none',
      });
      const broken = result.problems.find(({ severity }) => severity === 'error');
      if (broken !== undefined) throw new Error(broken.message);
      const printed = result.resources.map((resource) => decrypted(resource, decryptor));
      return (await Promise.all(printed)).join('---\n');
    },
    sameYaml,
  );
}

async function decrypted(resource: BuiltResource, decryptor: SopsDecryptor): Promise<string> {
  const plain = await decryptor.decryptObject(resource.object);
  return plain === resource.object ? resource.yaml : printYaml(plain);
}

const checks: Readonly<Record<string, (one: FluxCase) => Promise<Outcome>>> = {
  file: checkFile,
  resource: checkResource,
  dir: checkDirectory,
};

export const sopsChecks: Readonly<Record<string, Check>> = {
  sops: (one) => (checks[String(one.mode)] ?? checkFile)(one),
};
