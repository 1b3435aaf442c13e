import { type DecryptionKeys, dataKeyOf } from './data-key.ts';
import { decryptBranches } from './decrypt-tree.ts';
import { emitJson, loadJson } from './format-json.ts';
import { emitDotenv, emitIni, loadDotenv, loadIni } from './format-lines.ts';
import { emitYaml, loadYaml } from './format-yaml.ts';
import { sopsError } from './sops-error.ts';
import { readMetadata, type SopsMetadata, unflatten } from './sops-metadata.ts';
import { type SopsBranch, toPlain, valueOfKey, without } from './sops-tree.ts';

export type SopsFormat = 'yaml' | 'json' | 'dotenv' | 'ini' | 'binary';

/** The largest encrypted file that is taken. */
const maxBytes = 5 * 1024 * 1024;

/**
 * Decrypts a file of SOPS, and checks that nothing in it was changed since.
 *
 * ```ts
 * const text = 'password: hunter2\n';
 * await decryptFile(text, decryptionKeysOf({}), 'yaml').catch((error: unknown) => error instanceof GitOpsError && error.code); // 'WG_GITOPS_DECRYPT'
 * ```
 *
 * @throws GitOpsError
 */
export async function decryptFile(
  text: string,
  keys: DecryptionKeys,
  input: SopsFormat,
  output: SopsFormat = input,
): Promise<string> {
  if (text.length > maxBytes) throw sopsError(`the file is larger than ${maxBytes} bytes`);
  const { branches, metadata } = load(text, input);
  const key = await dataKeyOf(metadata, keys);
  return emit(decryptBranches(branches, metadata, key, { checksMac: true }), output);
}

/**
 * Checks that nothing in a manifest was changed since SOPS encrypted it: only the file shows that, a
 * build changes what its checksum is of. Documents that were encrypted one by one and put into one
 * file are checked one by one.
 *
 * @throws GitOpsError
 */
export async function checkManifest(
  text: string,
  keys: DecryptionKeys,
  format: 'yaml' | 'json',
  isChecked: (document: Record<string, unknown>) => boolean,
): Promise<void> {
  if (text.length > maxBytes) throw sopsError(`the file is larger than ${maxBytes} bytes`);
  const groups = new Map<string, { branches: SopsBranch[]; metadata: SopsMetadata }>();
  for (const branch of format === 'yaml' ? loadYaml(text) : [loadJson(text)]) {
    const found = valueOfKey(branch, 'sops');
    if (found === undefined || !isChecked(toPlain(branch) as Record<string, unknown>)) continue;
    const metadata = readMetadata(toPlain(found));
    const group = groups.get(metadata.mac) ?? { branches: [], metadata };
    group.branches.push(without(branch, 'sops'));
    groups.set(metadata.mac, group);
  }
  for (const { branches, metadata } of groups.values()) {
    decryptBranches(branches, metadata, await dataKeyOf(metadata, keys), { checksMac: true });
  }
}

function load(
  text: string,
  format: SopsFormat,
): { branches: SopsBranch[]; metadata: SopsMetadata } {
  if (format === 'dotenv' || format === 'ini') {
    const { branch, metadata } = format === 'ini' ? loadIni(text) : loadDotenv(text);
    if (metadata.size === 0) throw sopsError('sops metadata not found');
    return { branches: [branch], metadata: readMetadata(unflatten(metadata)) };
  }
  const branches = format === 'yaml' ? loadYaml(text) : [loadJson(text)];
  const found = branches[0] === undefined ? undefined : valueOfKey(branches[0], 'sops');
  if (found === undefined) throw sopsError('sops metadata not found');
  return {
    branches: branches.map((branch) => without(branch, 'sops')),
    metadata: readMetadata(toPlain(found)),
  };
}

function emit(branches: readonly SopsBranch[], format: SopsFormat): string {
  const first = branches[0] ?? { items: [] };
  switch (format) {
    case 'yaml':
      return emitYaml(branches);
    case 'json':
      return emitJson(first);
    case 'dotenv':
      return emitDotenv(first);
    case 'ini':
      return emitIni(first);
    case 'binary': {
      const data = valueOfKey(first, 'data');
      if (typeof data !== 'string') throw sopsError('the file holds no binary data');
      return data;
    }
  }
}

/** Whether a text has the mark of a file of SOPS, and in which format. */
export function sopsFormatOf(text: string): SopsFormat | undefined {
  if (text.includes('"mac": "ENC[')) return 'json';
  if (/^sops_mac=ENC\[/m.test(text)) return 'dotenv';
  if (/^\[sops\]/m.test(text)) return 'ini';
  if (/^\s+mac: ENC\[/m.test(text)) return 'yaml';
  return undefined;
}

/** The format that the end of a name says; anything else is binary. */
export function formatOfName(name: string): SopsFormat {
  if (/\.ya?ml$/.test(name)) return 'yaml';
  if (name.endsWith('.json') || name.endsWith('.dockerconfigjson')) return 'json';
  if (name.endsWith('.env')) return 'dotenv';
  if (name.endsWith('.ini')) return 'ini';
  return 'binary';
}
