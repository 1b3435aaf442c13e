import type { SecretData } from '../api/secret-data.ts';
import type { GitRepository, GitRepositoryStatus } from '../api/source-objects.ts';
import type { GitCheckout } from '../git/git-checkout.ts';
import type { ResolvedCommit } from '../git/git-remote.ts';
import { signedCommit, signedTag, signingKeyOf } from '../git/git-signature.ts';
import { messageOf } from '../gitops-error.ts';
import { SourceFailure } from './source-failure.ts';
import type { SourcePass } from './source-pass.ts';
import { SecretUnavailable } from './source-secrets.ts';

/**
 * Checks the signatures that a GitRepository asks for, of its commit, of its tag or of both, and
 * tells in its conditions which keys made them.
 *
 * @throws SourceFailure when one is missing, or was made by none of the keys
 */
export async function verifyCommit(
  { spec }: GitRepository,
  pass: SourcePass<GitRepositoryStatus>,
  commit: ResolvedCommit,
  checkout: GitCheckout,
  keysOf: () => Promise<SecretData>,
): Promise<void> {
  if (spec.verify === undefined) return;
  const mode =
    spec.verify.mode === undefined || /^head$/i.test(spec.verify.mode) ? 'HEAD' : spec.verify.mode;
  const rings = Object.values(await readKeys(keysOf));
  const found: string[] = [];
  if (mode === 'Tag' || mode === 'TagAndHEAD') found.push(await verifyTag(commit, checkout, rings));
  if (mode === 'HEAD' || mode === 'TagAndHEAD')
    found.push(await verifyHead(commit, checkout, rings));
  const message = `verified signature of\n\t- ${found.join('\n\t- ')}`;
  pass.conditions.set('SourceVerified', 'True', 'Succeeded', message);
  pass.status.sourceVerificationMode = mode;
  pass.note('Succeeded', message);
}

async function readKeys(keysOf: () => Promise<SecretData>): Promise<SecretData> {
  try {
    return await keysOf();
  } catch (error) {
    if (!(error instanceof SecretUnavailable)) throw error;
    const message = `PGP public keys secret error: ${messageOf(error.cause)}`;
    throw refused('VerificationError', message, error);
  }
}

async function verifyTag(
  commit: ResolvedCommit,
  checkout: GitCheckout,
  rings: readonly string[],
): Promise<string> {
  const [, name] = /^refs\/tags\/(.*)$/s.exec(commit.reference ?? '') ?? [];
  if (name === undefined) {
    const message = "cannot verify tag object's signature if a tag reference is not specified";
    throw new SourceFailure('SourceVerified', 'InvalidVerificationMode', message, {
      retry: 'never',
    });
  }
  const algorithm = commit.sha.length === 64 ? 'sha256' : 'sha1';
  const shown = `${name}@${algorithm}:${commit.tagObject ?? commit.sha}`;
  const unsigned = `cannot verify signature of tag '${shown}' since it is not signed`;
  if (commit.tagObject === undefined) throw refused('InvalidGitObject', unsigned);
  const signed = signedTag(await checkout.object('tag', commit.tagObject));
  if (signed.signature === '') throw refused('InvalidGitObject', unsigned);
  try {
    return `tag '${shown}' with key '${await signingKeyOf(signed, rings)}'`;
  } catch (error) {
    const message = `signature verification of tag '${shown}' failed: unable to verify Git tag: ${messageOf(error)}`;
    throw refused('InvalidTagSignature', message, error);
  }
}

async function verifyHead(
  { sha }: ResolvedCommit,
  checkout: GitCheckout,
  rings: readonly string[],
): Promise<string> {
  try {
    const key = await signingKeyOf(signedCommit(await checkout.object('commit', sha)), rings);
    return `commit '${sha}' with key '${key}'`;
  } catch (error) {
    const message = `signature verification of commit '${sha}' failed: unable to verify Git commit: ${messageOf(error)}`;
    throw refused('InvalidCommitSignature', message, error);
  }
}

/** The keys, or the commit that a reference means, may change: it is tried again. */
function refused(reason: string, message: string, cause?: unknown): SourceFailure {
  return new SourceFailure('SourceVerified', reason, message, { cause });
}
