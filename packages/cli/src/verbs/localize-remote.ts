import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  directoryFileSystem,
  type FetchedFiles,
  memoryFileSystem,
  repositoryAddress,
} from '@waygate/kustomize';
import {
  discardBody,
  environmentProxy,
  explainNetworkError,
  HttpClient,
  headerOf,
  readBody,
  redirecting,
  type Send,
  targetOf,
} from '@waygate/text';
import { type CliContext, CliError } from '../context.ts';
import { runProgram } from '../run-program.ts';

/** What a manifest or a program that is fetched may weigh, and how long that may take. */
const mostBytes = 32 * 1024 * 1024;
const timeoutMs = 5 * 60_000;

/** Fetches remote roots with git and remote files over HTTP, and takes away what it made. */
export class RemoteFiles {
  readonly #context: CliContext;
  readonly #directories: string[] = [];
  readonly #clones = new Map<string, Promise<string>>();

  readonly #client: HttpClient;
  readonly #send: Send;

  constructor(context: CliContext) {
    this.#context = context;
    this.#client = new HttpClient({ proxyFor: (server) => environmentProxy(server, context.env) });
    this.#send = redirecting(this.#client.send, {
      maxHops: 10,
      refuse: (why) => new CliError(`the server ${why}`),
    });
  }

  async fetch(url: string): Promise<FetchedFiles> {
    const file = await this.#file(url);
    if (file !== undefined) return file;
    const address = repositoryAddress(url);
    if (address === undefined) throw new CliError(`'${url}' is no address of a repository`);
    const { cloneUrl, ref = 'HEAD', directory } = address;
    const key = `${cloneUrl} ${ref}`;
    const cloning = this.#clones.get(key) ?? this.#clone(cloneUrl, ref);
    this.#clones.set(key, cloning);
    return { fileSystem: directoryFileSystem(await cloning), path: `/${directory}` };
  }

  close(): void {
    this.#client.close();
    for (const directory of this.#directories) rmSync(directory, { recursive: true, force: true });
  }

  /** A page that is no manifest is that of a repository: its root is asked for next. */
  async #file(url: string): Promise<FetchedFiles | undefined> {
    if (!/^https?:\/\//.test(url) || /\/\/[^/]+\/.*(?:\/\/|\.git\b|[?&]ref=)/.test(url))
      return undefined;
    const signal = AbortSignal.any([this.#context.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await this.#send({ ...targetOf(new URL(url)), signal });
      const type = headerOf(response.headers, 'content-type') ?? '';
      if (response.statusCode !== 200 || type.includes('text/html')) {
        discardBody(response);
        return undefined;
      }
      const file = await readBody(response, mostBytes);
      return { fileSystem: memoryFileSystem({ file }), path: '/file' };
    } catch (cause) {
      throw new CliError(`${url} could not be fetched: ${explainNetworkError(cause)}`, { cause });
    }
  }

  async #clone(url: string, ref: string): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-localize-'));
    this.#directories.push(directory);
    if (url.startsWith('-') || ref.startsWith('-')) throw new CliError(`'${url}' is no address`);
    await this.#git(['init', '--quiet'], directory);
    await this.#git(['fetch', '--quiet', '--depth=1', url, ref], directory);
    await this.#git(['checkout', '--quiet', 'FETCH_HEAD'], directory);
    await this.#git(['submodule', 'update', '--quiet', '--init', '--recursive'], directory);
    rmSync(join(directory, '.git'), { recursive: true, force: true });
    return directory;
  }

  async #git(args: readonly string[], cwd: string): Promise<void> {
    const { env, signal } = this.#context;
    const own = {
      ...env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file',
    };
    const outcome = await runProgram('git', args, { cwd, env: own }, { timeoutMs }, signal);
    if (outcome.exitCode === 0) return;
    throw new CliError(`git ${args[0]} failed: ${outcome.stderr.trim() || 'it said nothing'}`);
  }
}
