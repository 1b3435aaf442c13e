import { isObject } from '@waygate/text';
import { sopsError } from './sops-error.ts';

export interface EncryptedKey {
  readonly kind: 'age' | 'pgp' | 'other';
  /** Who can decrypt it: shown when nobody here can. */
  readonly recipient: string;
  readonly encrypted: string;
  /** A service that has to be asked, which is not supported. */
  readonly service?: string;
}

/** What a file says about its own encryption. */
export interface SopsMetadata {
  /** One key of a group gives a share of the data key; with one group, the data key itself. */
  readonly groups: readonly (readonly EncryptedKey[])[];
  readonly threshold: number;
  readonly lastModified: string;
  readonly mac: string;
  readonly isMacOnlyEncrypted: boolean;
  readonly unencryptedSuffix: string;
  readonly encryptedSuffix: string;
  readonly unencryptedRegex: string;
  readonly encryptedRegex: string;
  readonly unencryptedCommentRegex: string;
  readonly encryptedCommentRegex: string;
}

/** @throws GitOpsError when it is not what a file of SOPS has */
export function readMetadata(value: unknown): SopsMetadata {
  if (!isObject(value)) throw sopsError('sops metadata not found');
  const text = (key: string) => {
    const one = value[key];
    return typeof one === 'string' ? one : one === undefined || one === null ? '' : String(one);
  };
  const groups = list(value.key_groups).filter(isObject).map(keysOf);
  const rules = {
    encryptedSuffix: text('encrypted_suffix'),
    unencryptedRegex: text('unencrypted_regex'),
    encryptedRegex: text('encrypted_regex'),
    unencryptedCommentRegex: text('unencrypted_comment_regex'),
    encryptedCommentRegex: text('encrypted_comment_regex'),
  };
  const suffix = text('unencrypted_suffix');
  const hasRule = suffix !== '' || Object.values(rules).some((one) => one !== '');
  return {
    groups: groups.length > 0 ? groups : [keysOf(value)],
    threshold: Number(value.shamir_threshold ?? 0) || groups.length,
    lastModified: text('lastmodified'),
    mac: text('mac'),
    isMacOnlyEncrypted: value.mac_only_encrypted === true || value.mac_only_encrypted === 'true',
    unencryptedSuffix: hasRule ? suffix : '_unencrypted',
    ...rules,
  };
}

function keysOf(group: Record<string, unknown>): EncryptedKey[] {
  const keys: EncryptedKey[] = [];
  for (const [kind, field, name] of [
    ['pgp', 'pgp', 'fp'],
    ['age', 'age', 'recipient'],
  ] as const) {
    for (const one of list(group[field]).filter(isObject)) {
      keys.push({ kind, recipient: String(one[name] ?? field), encrypted: String(one.enc ?? '') });
    }
  }
  for (const [field, name, service] of [
    ['kms', 'arn', 'AWS KMS'],
    ['gcp_kms', 'resource_id', 'GCP KMS'],
    ['azure_kv', 'name', 'Azure Key Vault'],
    ['hc_vault', 'vault_address', 'Vault'],
    ['hckms', 'key_id', 'Huawei Cloud KMS'],
  ] as const) {
    for (const one of list(group[field]).filter(isObject)) {
      keys.push({ kind: 'other', recipient: String(one[name] ?? field), encrypted: '', service });
    }
  }
  return keys;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Metadata of files that have no nesting: `age__list_0__map_enc=…`. */
export function unflatten(flat: ReadonlyMap<string, string>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, value] of flat) {
    let at: Record<string, unknown> | unknown[] = root;
    const parts = path.split('__');
    const keys = parts.map((part) => part.replace(/^(list|map)_/, ''));
    keys.forEach((key, index) => {
      if (
        key === '__proto__' ||
        key.length > 200 ||
        (Array.isArray(at) && !/^\d{1,3}$/.test(key))
      ) {
        throw sopsError('the metadata of the file cannot be read');
      }

      const slot = at as Record<string, unknown>;
      if (index === parts.length - 1) slot[key] = value.replaceAll('\\n', '\n');
      else {
        slot[key] ??= parts[index + 1]?.startsWith('list_') ? [] : {};
        at = slot[key] as Record<string, unknown>;
      }
    });
  }
  return root;
}
