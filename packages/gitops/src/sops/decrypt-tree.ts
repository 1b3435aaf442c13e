import { createHash, type Hash } from 'node:crypto';
import { compileRegex, type RegexMatcher } from '@waygate/text';
import { checksumBytes, decryptValue } from './cipher.ts';
import { sopsError } from './sops-error.ts';
import type { SopsMetadata } from './sops-metadata.ts';
import {
  isBranch,
  isComment,
  type SopsBranch,
  type SopsComment,
  type SopsScalar,
  type SopsValue,
} from './sops-tree.ts';

interface DecryptOptions {
  /** Compares the checksum of all values. Not for what was changed on purpose since, as by a build. */
  readonly checksMac: boolean;
}

/** Decrypts the documents of one file. @throws GitOpsError for anything that was tampered with */
export function decryptBranches(
  branches: readonly SopsBranch[],
  metadata: SopsMetadata,
  key: Uint8Array,
  options: DecryptOptions,
): SopsBranch[] {
  const walk = new Walk(metadata, key);
  const decrypted = branches.map((branch) => walk.branch(branch, [], []));
  if (options.checksMac) walk.checkMac();
  return decrypted;
}

/** What the checksum starts with when it is of encrypted values only, so that it is never that of all. */
const macOnlyEncryptedStart = Buffer.from(
  '8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69',
  'hex',
);

class Walk {
  readonly #metadata: SopsMetadata;
  readonly #key: Uint8Array;
  readonly #hash: Hash = createHash('sha512');
  readonly #rules: readonly Rule[];

  constructor(metadata: SopsMetadata, key: Uint8Array) {
    this.#metadata = metadata;
    this.#key = key;
    this.#rules = rulesOf(metadata);
    if (metadata.isMacOnlyEncrypted) this.#hash.update(macOnlyEncryptedStart);
  }

  branch(
    { items }: SopsBranch,
    path: readonly string[],
    outer: readonly (readonly string[])[],
  ): SopsBranch {
    let comments: string[] = [];
    return {
      items: items.map((item) => {
        if (isComment(item)) {
          const comment = this.#comment(item, path, [...outer, comments]);
          comments = [...comments, comment.comment];
          return comment;
        }
        const value = this.#value(item.value, [...path, item.key], [...outer, comments]);
        comments = [];
        return { key: item.key, value };
      }),
    };
  }

  checkMac(): void {
    const { mac, lastModified } = this.#metadata;
    if (mac === '') throw sopsError('the file has no checksum (sops.mac)');
    const { value } = decryptValue(mac, this.#key, lastModified);
    if (String(value).toUpperCase() !== this.#hash.digest('hex').toUpperCase()) {
      throw sopsError('the checksum of the file differs (sops.mac): it was changed without sops');
    }
  }

  #value(
    value: SopsValue,
    path: readonly string[],
    comments: readonly (readonly string[])[],
  ): SopsValue {
    if (Array.isArray(value)) {
      return (value as readonly (SopsValue | SopsComment)[]).map((one) =>
        isComment(one) ? this.#comment(one, path, comments) : this.#value(one, path, comments),
      ) as SopsValue;
    }
    if (isBranch(value)) return this.branch(value, path, comments);
    return this.#scalar(value as SopsScalar, path, comments);
  }

  #scalar(
    value: SopsScalar,
    path: readonly string[],
    comments: readonly (readonly string[])[],
  ): SopsScalar {
    if (value === null) return null;
    const isEncrypted = this.#isEncrypted(path, comments);
    let plain: SopsScalar = value;
    if (isEncrypted) {
      if (typeof value !== 'string') throw sopsError(`${path.join('.')} is not encrypted`);
      plain = decryptValue(value, this.#key, placeOf(path)).value;
    }
    if (isEncrypted || !this.#metadata.isMacOnlyEncrypted) this.#hash.update(checksumBytes(plain));
    return plain;
  }

  /** A comment that cannot be decrypted was written later, and is taken as it is. */
  #comment(
    comment: SopsComment,
    path: readonly string[],
    comments: readonly (readonly string[])[],
  ): SopsComment {
    if (!this.#isEncrypted(path, comments)) return comment;
    try {
      return {
        comment: String(decryptValue(comment.comment.trim(), this.#key, placeOf(path)).value),
      };
    } catch {
      return comment;
    }
  }

  #isEncrypted(path: readonly string[], comments: readonly (readonly string[])[]): boolean {
    let isEncrypted = true;
    for (const rule of this.#rules) isEncrypted = rule(isEncrypted, path, comments);
    return isEncrypted;
  }
}

type Rule = (
  isEncrypted: boolean,
  path: readonly string[],
  comments: readonly (readonly string[])[],
) => boolean;

function rulesOf(metadata: SopsMetadata): Rule[] {
  const rules: Rule[] = [];
  const onPath = (matches: (name: string) => boolean, verdict: boolean): Rule => {
    return (isEncrypted, path) => {
      if (path.some(matches)) return verdict;
      return verdict ? false : isEncrypted;
    };
  };
  const onComments = (expression: RegexMatcher, verdict: boolean): Rule => {
    return (isEncrypted, _path, comments) => {
      if (comments.some((group) => group.some((one) => expression(one)))) return verdict;
      return verdict ? false : isEncrypted;
    };
  };
  if (metadata.unencryptedSuffix !== '') {
    rules.push(onPath((name) => name.endsWith(metadata.unencryptedSuffix), false));
  }
  if (metadata.encryptedSuffix !== '') {
    rules.push(onPath((name) => name.endsWith(metadata.encryptedSuffix), true));
  }
  for (const [text, verdict] of [
    [metadata.unencryptedRegex, false],
    [metadata.encryptedRegex, true],
  ] as const) {
    if (text === '') continue;
    const expression = expressionOf(text);
    rules.push(onPath((name) => expression(name), verdict));
  }
  if (metadata.unencryptedCommentRegex !== '') {
    rules.push(onComments(expressionOf(metadata.unencryptedCommentRegex), false));
  }
  if (metadata.encryptedCommentRegex !== '') {
    rules.push(onComments(expressionOf(metadata.encryptedCommentRegex), true));
  }
  return rules;
}

/** In time linear in the name: the expression comes with the file. */
function expressionOf(text: string): RegexMatcher {
  try {
    return compileRegex(text);
  } catch (error) {
    throw sopsError('an expression of the metadata cannot be read', error);
  }
}

/** The names on the way to a value; places in lists do not count. */
function placeOf(path: readonly string[]): string {
  return `${path.join(':')}:`;
}
