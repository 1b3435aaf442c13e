import { createHash } from 'node:crypto';
import { build } from '@waygate/kustomize';
import { type DynamicObject, parseApiVersion } from '@waygate/schema';
import { printYamlDocuments } from '@waygate/text';
import type { KustomizationSpec } from '../api/kustomization-object.ts';
import type { FileTree, TreeReads } from '../artifact/file-tree.ts';
import { GitOpsError, messageOf } from '../gitops-error.ts';
import { type SopsDecryption, SopsDecryptor } from '../sops/sops-decryptor.ts';
import { isSubstituted, substituteResource } from '../substitution/substitute-resource.ts';
import { generateKustomization } from './generate.ts';

export interface BuildInput {
  /** The artifact; it is not changed. */
  readonly files: FileTree;
  readonly path: string;
  readonly spec: KustomizationSpec;
  readonly variables: ReadonlyMap<string, string>;
  /** Why the variables could not be read: told for the first object that would need them. */
  readonly variablesError?: Error | undefined;
  readonly isStrict: boolean;
  /** What takes encryption off files before, and off objects after the build; when there is any. */
  readonly decryption?: SopsDecryption | undefined;
}

export interface BuiltManifests {
  readonly objects: readonly DynamicObject[];
  /** Of the manifests as they are applied. */
  readonly digest: string;
  /** What of the artifact it depends on. */
  readonly reads: TreeReads;
}

/**
 * Builds the manifests of a Kustomization: generate, decrypt, kustomize build, substitute.
 *
 * ```ts
 * const web = '{apiVersion: v1, kind: Service, metadata: {name: "${name}"}}';
 * const built = await buildManifests({
 *   files: FileTree.of([{ path: 'web.yaml', content: Buffer.from(web) }]),
 *   path: '/',
 *   spec: { interval: '5m', prune: true, sourceRef: { kind: 'GitRepository', name: 'fleet' } },
 *   variables: new Map([['name', 'shop']]),
 *   isStrict: true,
 * });
 * built.objects.map(({ metadata }) => metadata.name); // ['shop']
 * ```
 *
 * @throws GitOpsError that names what is wrong, and where
 */
export async function buildManifests(input: BuildInput): Promise<BuiltManifests> {
  const tree = input.files.overlay();
  generateKustomization(tree, input.path, input.spec);
  const decryptor = input.decryption && new SopsDecryptor(input.decryption);
  await decryptor?.decryptFiles(tree, input.path);
  const result = await build(tree, input.path, {
    loadRestrictor: 'LoadRestrictionsNone',
    reorder: 'none',
  });
  const broken = result.problems.find(({ severity }) => severity === 'error');
  if (broken !== undefined) {
    throw new GitOpsError('WG_GITOPS_BUILD', `kustomize build failed: ${broken.message}`);
  }
  const { postBuild } = input.spec;
  const always = postBuild?.substituteStrategy === 'Always';
  const objects: DynamicObject[] = [];
  for (const { object, yaml } of result.resources) {
    const plain = await decrypted(object, decryptor);
    const whole = plain === object ? { object, yaml } : { object: plain };
    try {
      if (input.variablesError !== undefined && isSubstituted(plain)) throw input.variablesError;
      const options = { isStrict: input.isStrict, always };
      objects.push(substituteResource(whole, input.variables, options) ?? plain);
    } catch (error) {
      throw failure(`post build failed for '${idOf(object)}': ${messageOf(error)}`, error);
    }
  }
  const digest = createHash('sha256').update(printYamlDocuments(objects)).digest('hex');
  return { objects, digest: `sha256:${digest}`, reads: tree.readsBelow };
}

async function decrypted(
  object: DynamicObject,
  decryptor: SopsDecryptor | undefined,
): Promise<DynamicObject> {
  try {
    return (await decryptor?.decryptObject(object)) ?? object;
  } catch (error) {
    throw failure(`decryption failed for '${idOf(object)}': ${messageOf(error)}`, error);
  }
}

function failure(message: string, cause: unknown): GitOpsError {
  return new GitOpsError('WG_GITOPS_BUILD', message, { cause });
}

/** As kustomize names an object: `Deployment.v1.apps/web`. */
function idOf(object: DynamicObject): string {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  return `${object.kind}.${version || '[noVer]'}.${group || '[noGrp]'}/${object.metadata.name}`;
}
