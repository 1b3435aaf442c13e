import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A repository in a directory that a server shows, with what people do in one. */
export class WorkTree {
  readonly directory: string;
  private readonly environment: Record<string, string>;
  private count = 0;

  constructor(directory: string, environment: Record<string, string> = {}) {
    this.directory = directory;
    this.environment = environment;
    mkdirSync(directory, { recursive: true });
    this.git('init', '--quiet', '--initial-branch=main');
    for (const [key, value] of [
      ['user.name', 'Test'],
      ['user.email', 'test@example.com'],
      // A server that gives any commit to those who ask for it, as the large ones do.
      ['uploadpack.allowAnySHA1InWant', 'true'],
    ] as const) {
      this.git('config', key, value);
    }
  }

  git(...args: string[]): string {
    // Each commit a second later than the one before, so that times tell them apart.
    const date = `${1_700_000_000 + this.count} +0000`;
    return execFileSync('git', ['-C', this.directory, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: this.directory,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        ...this.environment,
      },
    }).trim();
  }

  /** Writes files, where undefined removes one, and commits. Gives back the commit. */
  commit(
    files: Readonly<Record<string, string | undefined>>,
    message = 'a commit',
    ...args: string[]
  ): string {
    this.count++;
    for (const [path, content] of Object.entries(files)) {
      const full = join(this.directory, path);
      if (content === undefined) rmSync(full, { recursive: true });
      else {
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, content);
      }
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', message, ...args);
    return this.git('rev-parse', 'HEAD');
  }
}
