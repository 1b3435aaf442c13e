import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitHttpsServer } from '../git-https-server.ts';
import { WorkTree } from '../work-tree.ts';
import type { Stage } from './stage.ts';

/** Where the recordings had their server. */
const theirs = 'http://127.0.0.1:39418';

/** The git servers of the recordings: for everybody, for those with a password, and an odd one. */
export class GitHosts implements AsyncDisposable {
  readonly home: string;
  readonly url: string;
  readonly tree: WorkTree;
  private readonly stage: Stage;
  private readonly servers: readonly AsyncDisposable[];
  private readonly odd: Server;

  static async start(stage: Stage): Promise<GitHosts> {
    const home = mkdtempSync(join(tmpdir(), 'waygate-trace-git-'));
    const users = { root: home, username: 'user', password: 'pass' };
    const open = await GitHttpsServer.start(users);
    open.isOpen = true;
    const closed = await GitHttpsServer.start(users);
    const odd = createServer((request, response) => {
      if (request.url?.startsWith('/500')) response.writeHead(500).end();
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    return new GitHosts(stage, home, open, closed, odd);
  }

  private constructor(
    stage: Stage,
    home: string,
    open: GitHttpsServer,
    closed: GitHttpsServer,
    odd: Server,
  ) {
    this.stage = stage;
    this.home = home;
    this.servers = [open, closed];
    this.odd = odd;
    this.url = `${open.url}/shop.git`;
    this.tree = this.repository('shop.git');
    const { host } = new URL(closed.url);
    stage.translate(
      `http://user:pass@${host}/shop.git`,
      'http://user:pass@127.0.0.1:39418/auth/<ns>.git',
    );
    stage.translate(`${closed.url}/shop.git`, `${theirs}/auth/<ns>.git`);
    stage.translate(`${open.url}/empty.git`, `${theirs}/<ns>-empty.git`);
    stage.translate(`${open.url}/lib.git`, `${theirs}/<ns>-lib.git`);
    stage.translate(this.url, `${theirs}/<ns>.git`);
    stage.translate(`${open.url}/ghost.git`, `${theirs}/ghost.git`);
    const oddUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
    for (const path of ['/500', '/hang']) stage.translate(`${oddUrl}${path}`, `${theirs}${path}`);
  }

  /** Another repository that everybody may read. */
  repository(name: string): WorkTree {
    return new WorkTree(join(this.home, name));
  }

  urlOf(name: string): string {
    return this.url.replace('shop.git', name);
  }

  /** Commits, and has the commit called what the recording calls it. */
  commit(
    called: string,
    files: Readonly<Record<string, string | undefined>>,
    message = called,
    tree = this.tree,
  ): string {
    const commit = tree.commit(files, message);
    this.stage.translate(commit, `<${called}>`);
    return commit;
  }

  /** The newest commit. */
  head(): string {
    return this.tree.git('rev-parse', 'HEAD');
  }

  /** The history that all recordings of sources begin with. */
  history(): void {
    const { tree } = this;
    const first = this.commit('c1', { 'a.yaml': 'a: 1\n' });
    tree.git('tag', 'v1.0.0');
    tree.git('tag', '--annotate', '--message', 'x', 'v1.1.0');
    this.commit('c2', { 'a.yaml': 'a: 2\n' });
    tree.git('tag', '2.0.0+b1');
    this.commit(
      'c3',
      { 'a.yaml': 'a: 3\n', 'docs/readme.md': 'r', 'sub/deep/s.yaml': 's: 1\n', 'img.png': 'p' },
      'c3 subject that is longer than fifty characters to be cut',
    );
    for (const tag of ['v1.5.0', '2.0.0-rc.1', '2.0.0+b2']) tree.git('tag', tag);
    tree.git('checkout', '--quiet', '-b', 'dev', first);
    tree.git('update-ref', 'refs/pull/7/head', this.commit('dev1', { 'a.yaml': 'dev' }));
    tree.git('checkout', '--quiet', 'main');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
    this.odd.closeAllConnections();
    await new Promise((resolve) => this.odd.close(resolve));
    rmSync(this.home, { recursive: true, force: true });
  }
}
