import type { DynamicObject } from '@waygate/schema';
import { isObject, parseYaml } from '@waygate/text';
import { type FileTree, normalized } from '../artifact/file-tree.ts';
import { messageOf } from '../gitops-error.ts';
import { type DecryptionKeys, dataKeyOf } from './data-key.ts';
import { decryptBranches } from './decrypt-tree.ts';
import { sopsError } from './sops-error.ts';
import {
  checkManifest,
  decryptFile,
  formatOfName,
  type SopsFormat,
  sopsFormatOf,
} from './sops-file.ts';
import { readMetadata } from './sops-metadata.ts';
import { fromPlain, type SopsBranch, toPlain } from './sops-tree.ts';

const switchOff = 'kustomize.toolkit.fluxcd.io/decrypt';
const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** What it takes to decrypt, as plain data: it can be handed to a thread of this process. */
export interface SopsDecryption {
  readonly keys: DecryptionKeys;
  /** Manifests are checked as files, too, unless that is turned off for who edited them since. */
  readonly checksManifests?: boolean | undefined;
}

/**
 * Takes SOPS' encryption off what is built: files that generators read, patches, and objects.
 *
 * ```ts
 * const decryptor = new SopsDecryptor({ keys: decryptionKeysOf({ 'main.agekey': 'AGE-SECRET-KEY-1…' }) });
 * const files = FileTree.of(await readDirectory('./fleet'));
 * await decryptor.decryptFiles(files, '/apps');
 * ```
 */
export class SopsDecryptor {
  readonly #keys: DecryptionKeys;
  readonly #checksManifests: boolean;

  constructor({ keys, checksManifests = true }: SopsDecryption) {
    this.#keys = keys;
    this.#checksManifests = checksManifests;
  }

  /** Files that generators and patches read, in the tree, in place. */
  async decryptFiles(tree: FileTree, directory: string): Promise<void> {
    await this.#visit(tree, normalized(directory), new Set());
  }

  async #visit(tree: FileTree, directory: string, seen: Set<string>): Promise<void> {
    if (seen.has(directory)) return;
    seen.add(directory);
    const file = kustomizationNames
      .map((name) => normalized(`${directory}/${name}`))
      .find((path) => tree.has(path));
    if (file === undefined) return;
    let content: unknown;
    try {
      content = parseYaml(tree.readText(file), { duplicateKeys: 'last' });
    } catch {
      // The build tells what is wrong with it, and where.
      return;
    }
    if (!isObject(content)) return;
    for (const generator of list(content.secretGenerator).filter(isObject)) {
      await this.#decryptSources(tree, directory, generator);
    }
    for (const patch of list(content.patches).filter(isObject)) {
      if (typeof patch.path !== 'string') continue;
      await this.#decryptSource(tree, directory, patch.path, formatOfName(patch.path));
    }
    for (const other of [
      ...list(content.resources),
      ...list(content.bases),
      ...list(content.components),
    ]) {
      if (typeof other !== 'string') continue;
      const path = normalized(`${directory}/${other}`);
      if (tree.hasDirectory(path)) await this.#visit(tree, path, seen);
      else if (this.#checksManifests && tree.has(path)) await this.#check(tree, path);
    }
  }

  /** An encrypted manifest stays as it is: its objects are decrypted when they are built. */
  async #check(tree: FileTree, path: string): Promise<void> {
    const text = tree.readText(path);
    const format = sopsFormatOf(text);
    if (format !== 'yaml' && format !== 'json') return;
    try {
      await checkManifest(text, this.#keys, format, isDecrypted);
    } catch (error) {
      throw sopsError(`error decrypting sources: ${path}: ${messageOf(error)}`, error);
    }
  }

  async #decryptSources(
    tree: FileTree,
    directory: string,
    generator: Record<string, unknown>,
  ): Promise<void> {
    for (const one of list(generator.files)) {
      if (typeof one !== 'string') continue;
      const equals = one.indexOf('=');
      const path = equals < 0 ? one : one.slice(equals + 1);
      const name = equals < 0 ? one : one.slice(0, equals);
      await this.#decryptSource(tree, directory, path, formatOfName(name));
    }
    for (const one of [...list(generator.envs), generator.env]) {
      if (typeof one !== 'string') continue;
      const format = formatOfName(one);
      await this.#decryptSource(tree, directory, one, format === 'binary' ? 'dotenv' : format);
    }
  }

  /** A file that is not encrypted is left as it is. */
  async #decryptSource(
    tree: FileTree,
    directory: string,
    path: string,
    output: SopsFormat,
  ): Promise<void> {
    const full = normalized(`${directory}/${path}`);
    if (!tree.has(full)) throw sopsError(`error decrypting sources: ${full} is not there`);
    const text = tree.readText(full);
    const found = sopsFormatOf(text);
    if (found === undefined) return;
    const input = output === 'binary' && found === 'json' ? 'binary' : found;
    try {
      tree.write(full, await decryptFile(text, this.#keys, input, output));
    } catch (error) {
      throw sopsError(`error decrypting sources: ${full}: ${messageOf(error)}`, error);
    }
  }

  /**
   * An object with `sops` in it, or a Secret with encrypted files in its data. A build puts keys in
   * another order and changes labels, so the checksum of the whole was checked before it; each value
   * is still bound to its place.
   */
  async decryptObject(object: DynamicObject): Promise<DynamicObject> {
    if (!isDecrypted(object)) return object;
    const { sops, ...rest } = object;
    if (isObject(sops) && sops.mac !== undefined) {
      const metadata = readMetadata(sops);
      const key = await dataKeyOf(metadata, this.#keys);
      const branch = fromPlain(rest) as SopsBranch;
      const options = { checksMac: false };
      const [plain] = decryptBranches([branch], metadata, key, options);
      return toPlain(plain as SopsBranch) as DynamicObject;
    }
    if (object.kind !== 'Secret' || !isObject(object.data)) return object;
    return this.#decryptData(object, object.data);
  }

  async #decryptData(object: DynamicObject, data: Record<string, unknown>): Promise<DynamicObject> {
    const decrypted: Record<string, unknown> = {};
    let isChanged = false;
    for (const [name, value] of Object.entries(data)) {
      decrypted[name] = value;
      if (typeof value !== 'string' || !/^[A-Za-z0-9+/=\s]*$/.test(value)) continue;
      const text = Buffer.from(value, 'base64').toString('utf8');
      const found = markedFormatOf(text);
      if (found === undefined) continue;
      const output = formatOfName(name);
      const input = output === 'binary' && found === 'json' ? 'binary' : found;
      try {
        const plain = await decryptFile(text, this.#keys, input, output);
        decrypted[name] = Buffer.from(plain).toString('base64');
        isChanged = true;
      } catch (error) {
        const where = `Secret ${object.metadata.name} field '${name}'`;
        throw sopsError(`failed to decrypt and format ${where}: ${messageOf(error)}`, error);
      }
    }
    return isChanged ? { ...object, data: decrypted } : object;
  }
}

/** An annotation may say that an object is meant to stay encrypted. */
function isDecrypted({ metadata }: { readonly metadata?: unknown }): boolean {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  const value = isObject(annotations) ? annotations[switchOff] : undefined;
  return typeof value !== 'string' || value.toLowerCase() !== 'disabled';
}

/** Any mark counts here: what looks encrypted and cannot be decrypted must not be applied. */
function markedFormatOf(text: string): SopsFormat | undefined {
  return sopsFormatOf(text) ?? (text.includes('mac: ENC[') ? 'yaml' : undefined);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
