import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A repository on disk that a test commits to, with the real git. */
export class TestRepository {
  readonly directory: string;
  #commits = 0;

  constructor(branch = 'main') {
    this.directory = mkdtempSync(join(tmpdir(), 'waygate-repository-'));
    this.git('init', '--quiet', `--initial-branch=${branch}`);
    this.git('config', 'user.name', 'Tester');
    this.git('config', 'user.email', 'tester@example.com');
    this.git('config', 'commit.gpgsign', 'false');
  }

  get url(): string {
    return pathToFileURL(this.directory).href;
  }

  git(...args: string[]): string {
    // Each commit a second later than the one before, so that times tell them apart.
    const date = `${1_700_000_000 + this.#commits} +0000`;
    return execFileSync('git', args, {
      cwd: this.directory,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH ?? '',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      },
    }).trim();
  }

  /** Writes files, where undefined removes one, and commits. Gives back the commit. */
  commit(files: Readonly<Record<string, string | undefined>>, message = 'a commit'): string {
    this.#commits++;
    for (const [path, content] of Object.entries(files)) {
      const full = join(this.directory, path);
      if (content === undefined) rmSync(full, { recursive: true });
      else {
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, content);
      }
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
