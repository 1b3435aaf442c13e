import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { proxyVariables } from '@waygate/text';
import { GitOpsError } from '../gitops-error.ts';
import { limitedCall } from './shell-less.ts';

export interface GitProgramOptions {
  /** The program; `git` from the path by default. */
  readonly program?: string | undefined;
  /** Protocols that a URL may name. https, http and ssh by default. */
  readonly protocols?: readonly string[] | undefined;
  /** The largest file that git may write: what a server sends ends up in one. 2 GiB. */
  readonly maxFileBytes?: number | undefined;
}

export interface GitCall {
  readonly directory?: string | undefined;
  /** Settings for this call alone. They go through the environment: secrets show in no list of processes. */
  readonly settings?: readonly (readonly [string, string])[] | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** The largest output that is taken. 64 MiB. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What git said when it failed. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly standardError: string;
  /** Whether git gave up by itself, or its time was up. */
  readonly kind: 'exit' | 'timeout';
  /** -1 when a signal ended it. */
  readonly exitCode: number;

  constructor(standardError: string, kind: 'exit' | 'timeout' = 'exit', exitCode = -1) {
    super(standardError);
    this.standardError = standardError;
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

/** Nothing that a repository or the machine says may make git run something or go elsewhere. */
const hardened: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.fsckObjects', 'false'],
  // What comes is one pack, which is there when it is whole: never some objects of many.
  ['fetch.unpackLimit', '1'],
  // What is large is neither kept in memory nor compared with others.
  ['core.bigFileThreshold', '16m'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['http.followRedirects', 'initial'],
  ['advice.detachedHead', 'false'],
  ['init.defaultBranch', 'main'],
  ['uploadpack.packObjectsHook', ''],
];

/**
 * Runs the `git` program in an environment that holds only what it is given.
 *
 * ```ts
 * const git = new GitProgram();
 * const said = await git.text(['version']); // git version 2.…
 * ```
 */
export class GitProgram {
  readonly #program: string;
  readonly #protocols: readonly string[];
  readonly #maxFileBytes: number;

  constructor(options: GitProgramOptions = {}) {
    this.#maxFileBytes = options.maxFileBytes ?? 2 * 1024 ** 3;
    this.#program = options.program ?? 'git';
    this.#protocols = options.protocols ?? ['https', 'http', 'ssh'];
  }

  /** The standard output of a call, as text. */
  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.bytes(args, call)).toString('utf8');
  }

  /** The standard output of a call. */
  async bytes(args: readonly string[], call: GitCall = {}): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    const limit = call.maxBytes ?? 64 * 1024 * 1024;
    for await (const chunk of this.stream(args, call)) {
      size += chunk.length;
      if (size > limit) throw new GitOpsError('WG_GITOPS_GIT', 'git said more than it may');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The standard output of a call as it comes. Ending early ends the process. */
  async *stream(args: readonly string[], call: GitCall = {}): AsyncGenerator<Buffer> {
    call.signal?.throwIfAborted();
    const limited = limitedCall(this.#program, args, this.#maxFileBytes);
    const child = spawn(limited.command, limited.args, {
      cwd: call.directory,
      env: this.#environment(call),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: git has helpers that speak to servers, and they end with it.
      detached: true,
    });
    let said = '';
    let stopped: 'timeout' | 'aborted' | undefined;
    const stop = (why: 'timeout' | 'aborted') => {
      stopped ??= why;
      killGroup(child);
    };
    const timer = setTimeout(() => stop('timeout'), call.timeoutMs ?? 60_000);
    const onAbort = () => stop('aborted');
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const ended = new Promise<number | Error>((settle) => {
      child.once('error', settle);
      child.once('close', (code) => settle(code ?? -1));
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 16_384) said += text;
    });
    // A process that ended before it read all has said why on its own.
    child.stdin.on('error', () => undefined);
    if (call.input === undefined) child.stdin.end();
    else Readable.from(inputChunks(call.input)).pipe(child.stdin);
    let isDrained = false;
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      isDrained = true;
      const code = await ended;
      if (stopped === 'aborted') call.signal?.throwIfAborted();
      if (stopped === 'timeout') throw new GitFailure('context deadline exceeded', 'timeout');
      if (code instanceof Error || code === 127 || code === 126) {
        const why = code instanceof Error ? code.message : said.trim();
        throw new GitOpsError('WG_GITOPS_GIT', `the program git cannot be run: ${why}`, {
          cause: code,
        });
      }
      if (code !== 0) throw new GitFailure(said.trim(), 'exit', code);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener('abort', onAbort);
      if (!isDrained) killGroup(child);
      await ended;
    }
  }

  #environment(call: GitCall): Record<string, string> {
    const allowed = this.#protocols.map((one) => [`protocol.${one}.allow`, 'always'] as const);
    const settings = [...hardened, ...allowed, ...(call.settings ?? [])];
    const environment: Record<string, string> = {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: this.#protocols.join(':'),
      GIT_OPTIONAL_LOCKS: '0',
      // A store that git does not recognize is not looked for further up, where others have theirs.
      ...(call.directory === undefined
        ? {}
        : { GIT_CEILING_DIRECTORIES: dirname(resolve(call.directory)) }),
      GIT_CONFIG_COUNT: String(settings.length),
      // The way out of the network is the operator's; a source may name one of its own.
      ...(settings.some(([key]) => key === 'http.proxy') ? {} : proxyVariables(process.env)),
      ...call.environment,
    };
    settings.forEach(([key, value], index) => {
      environment[`GIT_CONFIG_KEY_${index}`] = key;
      environment[`GIT_CONFIG_VALUE_${index}`] = value;
    });
    return environment;
  }
}

/** Ends git with all that it started. A child that never ran has no id. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function* inputChunks(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 65_536) yield text.slice(at, at + 65_536);
}
