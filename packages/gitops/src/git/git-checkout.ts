import { trimEndOf } from '@waygate/text';
import type { FileEntry } from '../artifact/file-entry.ts';
import { GitOpsError } from '../gitops-error.ts';
import type { GitCall, GitProgram } from './git-program.ts';
import { GitRemote, type ResolvedCommit } from './git-remote.ts';
import { GitTree, type TreeFile } from './git-tree.ts';
import { checkGitUrl, submoduleUrl } from './git-url.ts';

interface CheckoutOptions {
  readonly rules?: string | undefined;
  readonly sparsePaths?: readonly string[] | undefined;
  readonly recurseSubmodules?: boolean | undefined;
  readonly allowsFileUrls: boolean;
}

/** The files of one commit, with those of its submodules. */
export class GitCheckout {
  readonly #git: GitProgram;
  readonly #remote: GitRemote;
  readonly #call: GitCall;
  readonly #tree: GitTree;

  constructor(git: GitProgram, remote: GitRemote, call: GitCall) {
    this.#git = git;
    this.#remote = remote;
    this.#call = { ...call, directory: remote.store.path };
    this.#tree = new GitTree(git, this.#call);
  }

  /** Brings the commit here and says which of its files are the artifact's. */
  async select(commit: ResolvedCommit, options: CheckoutOptions): Promise<TreeFile[]> {
    await this.#remote.bring(commit);
    const files = await this.#collect(this.#remote, commit.sha, '', options, 0);
    const sparse = (options.sparsePaths ?? []).map((one) =>
      trimEndOf(one.replace(/^\.?\/+/, ''), '/'),
    );
    for (const directory of sparse) {
      if (files.some(({ path }) => isIn(path, [directory]))) continue;
      throw new GitOpsError(
        'WG_GITOPS_GIT',
        `failed to sparse checkout directories : sparse checkout dir '${directory}' does not exist in repository`,
      );
    }
    const wanted = sparse.length === 0 ? files : files.filter(({ path }) => isIn(path, sparse));
    return this.#tree.select(wanted, options.rules);
  }

  read(files: readonly TreeFile[]): AsyncGenerator<FileEntry> {
    return this.#tree.read(files);
  }

  /** The first line of the commit's message, who wrote it, and when it was committed. */
  async about(sha: string): Promise<{
    readonly subject: string;
    readonly author: string;
    readonly committedMs: number;
  }> {
    const text = await this.#remote.store.ask(['log', '-1', '--format=%s%n%an%n%ct', sha]);
    const [subject = '', author = '', seconds = ''] = text.toString('utf8').split('\n');
    return {
      subject: subject.trim(),
      author: author.trim(),
      committedMs: Number(seconds) * 1_000,
    };
  }

  /** The bytes of a commit or of an annotated tag, as they are hashed and signed. */
  async object(type: 'commit' | 'tag', sha: string): Promise<Buffer> {
    return this.#remote.store.ask(['cat-file', type, sha], { maxBytes: 1024 * 1024 });
  }

  async #collect(
    remote: GitRemote,
    sha: string,
    below: string,
    options: CheckoutOptions,
    depth: number,
  ): Promise<TreeFile[]> {
    const { files, submodules } = await this.#tree.list(sha, below);
    if (options.recurseSubmodules !== true || submodules.length === 0) return [...files];
    if (depth >= 10) throw new GitOpsError('WG_GITOPS_GIT', 'submodules are nested too deeply');
    const urls = await this.#submoduleUrls(files, below);
    const all = [...files];
    for (const { path, sha: linked } of submodules) {
      const given = urls.get(path);
      if (given === undefined) continue;
      const url = submoduleUrl(remote.url, given);
      checkGitUrl(url, options.allowsFileUrls);
      const other = new GitRemote(this.#git, url, remote.store, this.#call);
      await other.bring({ sha: linked, revision: linked, reference: undefined });
      all.push(...(await this.#collect(other, linked, `${path}/`, options, depth + 1)));
    }
    return all;
  }

  async #submoduleUrls(files: readonly TreeFile[], below: string): Promise<Map<string, string>> {
    const file = files.find(({ path }) => path === `${below}.gitmodules`);
    const urls = new Map<string, string>();
    if (file === undefined) return urls;
    const text = await this.#git.text(['config', '--file', '-', '--list', '-z'], {
      ...this.#call,
      input: await this.#tree.readText(file),
    });
    const byName = new Map<string, { path?: string; url?: string }>();
    for (const record of text.split('\0')) {
      const found = /^submodule\.(.*)\.(path|url)\n(.*)$/s.exec(record);
      if (found === null) continue;
      const [, name = '', key = '', value = ''] = found;
      byName.set(name, { ...byName.get(name), [key]: value });
    }
    for (const { path, url } of byName.values()) {
      if (path !== undefined && url !== undefined) urls.set(`${below}${path}`, url);
    }
    return urls;
  }
}

function isIn(path: string, directories: readonly string[]): boolean {
  return directories.some(
    (directory) => directory === '' || directory === '.' || path.startsWith(`${directory}/`),
  );
}
