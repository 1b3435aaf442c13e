import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GitProgram, GitRemote } from '@waygate/gitops';
import type { CaseFiles } from '../case-files.ts';
import { readJson } from '../data-file.ts';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';

interface ReferenceCase {
  readonly id: string;
  readonly ref: Record<string, string> | false;
  readonly expectedRevision?: string;
  readonly expectedMessage?: string;
}

/** The repository that the data describes, made with the real git. */
class DescribedRepository {
  readonly directory = mkdtempSync(join(tmpdir(), 'waygate-flux-'));
  readonly commits = new Map<string, string>();
  private time = 1_700_000_000;

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main');
    this.commit('c1');
    this.git('tag', 'v1.0.0');
    this.git('tag', '--annotate', '--message=t', 'v1.1.0');
    this.git('tag', 'not-semver');
    this.commit('c2');
    this.git('tag', 'v2.0.0-rc.1');
    this.git('tag', '2.0.0+b1');
    this.commit('c3');
    this.git('tag', '2.0.0+b2');
    this.git('tag', '--annotate', '--message=t', 'v1.5.0');
    this.git('checkout', '--quiet', '-b', 'dev');
    this.commit('dev1');
    this.git('update-ref', 'refs/pull/7/head', 'HEAD');
    this.git('checkout', '--quiet', 'main');
  }

  get url(): string {
    return pathToFileURL(this.directory).href;
  }

  private commit(name: string): void {
    this.time += 60;
    this.git('commit', '--quiet', '--allow-empty', `--message=${name}`);
    this.commits.set(name, this.git('rev-parse', 'HEAD'));
  }

  private git(...args: string[]): string {
    const date = `${this.time} +0000`;
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
    return execFileSync('git', [...identity, ...args], {
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
}

let repository: DescribedRepository | undefined;

/** References resolved against a real repository. */
export async function* gitReferenceCases(files: CaseFiles): AsyncGenerator<ConformanceCase> {
  if (!files.names().includes('git-ref.json')) return;
  const { cases } = readJson(files, 'git-ref.json') as { cases: ReferenceCase[] };
  try {
    for (const one of cases) {
      yield { id: `git-ref/${one.id}`, feature: 'git-ref', run: () => resolve(one) };
    }
  } finally {
    if (repository !== undefined) rmSync(repository.directory, { recursive: true, force: true });
    repository = undefined;
  }
}

async function resolve(one: ReferenceCase): Promise<Outcome> {
  repository ??= new DescribedRepository();
  const { commits, url } = repository;
  const named = (text: string) =>
    text.replace(/<(\w+)>/g, (whole, name: string) => commits.get(name) ?? whole);
  const reference =
    one.ref === false
      ? undefined
      : Object.fromEntries(Object.entries(one.ref).map(([key, value]) => [key, named(value)]));
  const store = mkdtempSync(join(tmpdir(), 'waygate-flux-'));
  try {
    const git = new GitProgram({ protocols: ['file'] });
    const remote = new GitRemote(git, url, store, {});
    await remote.open();
    const { revision } = await remote.resolve(reference);
    const wanted = one.expectedRevision === undefined ? undefined : named(one.expectedRevision);
    return revision === wanted
      ? pass
      : fail(`wanted ${wanted ?? one.expectedMessage}, got ${revision}`);
  } catch (error) {
    if (one.expectedMessage === undefined) return fail((error as Error).message);
    const prefix = 'failed to checkout and determine revision: ';
    const said = `${prefix}${(error as Error).message}`.replaceAll(url, '<url>');
    const wanted = named(one.expectedMessage).replace(
      /http:\/\/127\.0\.0\.1:\d+\/<ns>\.git/,
      '<url>',
    );
    return said === wanted ? pass : fail(`wanted ${wanted}, got ${said}`);
  } finally {
    rmSync(store, { recursive: true, force: true });
  }
}
