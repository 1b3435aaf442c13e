import { expect } from 'vitest';
import { GitCheckout } from '../git/git-checkout.ts';
import type { GitProgram } from '../git/git-program.ts';
import { GitRemote } from '../git/git-remote.ts';
import { DamagedStoreError } from '../git/git-store.ts';

/** The files of the main branch, through a store in a directory. Damage costs the store. */
export async function filesOfMain(
  git: GitProgram,
  url: string,
  directory: string,
): Promise<Record<string, string>> {
  const remote = new GitRemote(git, url, directory, {});
  await remote.open();
  const commit = await remote.resolve({ branch: 'main' });
  const checkout = new GitCheckout(git, remote, {});
  try {
    const files: Record<string, string> = {};
    const selected = await checkout.select(commit, { allowsFileUrls: true });
    for await (const { path, content } of checkout.read(selected)) {
      files[path] = Buffer.from(content).toString();
    }
    return files;
  } catch (error) {
    if (error instanceof DamagedStoreError) await remote.store.reset();
    throw error;
  }
}

/** The files; or, after one error that says that there is damage, the files. */
export async function healedFilesOfMain(
  git: GitProgram,
  url: string,
  directory: string,
): Promise<Record<string, string>> {
  try {
    return await filesOfMain(git, url, directory);
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedStoreError);
    return filesOfMain(git, url, directory);
  }
}
