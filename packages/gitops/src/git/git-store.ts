import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { diskErrorIn } from '../disk-error.ts';
import { GitOpsError } from '../gitops-error.ts';
import { type GitCall, GitFailure, type GitProgram } from './git-program.ts';
import { isDiskTrouble } from './git-words.ts';

/** What to ask a server for. */
interface GitFetch {
  readonly url: string;
  readonly references: readonly string[];
  /** One commit each, without its past. */
  readonly isShallow: boolean;
}

/** Objects of git that were once whole on this machine, and no longer are. */
export class DamagedStoreError extends GitOpsError {
  constructor(why: string, cause?: unknown) {
    super('WG_GITOPS_GIT', `the store of git's objects is damaged: ${why}`, { cause });
  }
}

/** What is kept about a store, in it. A store without it, or with another format, is none. */
interface Ledger {
  readonly format: 1;
  /** Whose objects these are: a digest, since a URL may have a password in it. */
  readonly owner: string;
  /** How often something was fetched into it. */
  readonly fetches: number;
  /** How often in a row nothing could be. */
  readonly failures: number;
}

/** A store that was fetched into this often starts anew: commits of the past lie in it. */
const maxFetches = 64;
/** After so many failures in a row a store is thought to be the cause. */
const maxFailures = 2;

/**
 * Objects of git of one source. A fetch goes into a quarantine beside the store, which starts with
 * what the store has, and takes its place when all that was wanted is there and whole. So a store is
 * never written to: a fetch that is cut, killed or refused leaves it as it was, and a commit counts
 * as present only when everything that it needs was seen to be.
 */
export class GitStore {
  /** Where git finds the objects. Not there before the first fetch. */
  readonly path: string;
  /** All of it: the store, and quarantines beside it. */
  readonly directory: string;
  readonly #git: GitProgram;
  readonly #call: GitCall;
  #owner = '';

  constructor(git: GitProgram, directory: string, call: GitCall) {
    this.#git = git;
    this.directory = directory;
    this.path = join(directory, 'store');
    this.#call = call;
  }

  /** Removes what others left behind: quarantines of killed processes, and the store of another owner. */
  async open(owner: string): Promise<void> {
    this.#owner = owner;
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.directory)) {
      if (name !== 'store') await this.#discard(join(this.directory, name));
    }
    const ledger = await this.#ledger();
    const isUsable = ledger?.owner === owner && ledger.failures < maxFailures;
    if (!isUsable || ledger.fetches >= maxFetches) await this.reset();
  }

  /** Throws the store away: it can be fetched again. */
  async reset(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  /** Whether an object is here with all that it needs. */
  async has(sha: string): Promise<boolean> {
    try {
      return (await readFile(join(this.path, ...wholeReference(sha)), 'utf8')).trim() === sha;
    } catch {
      return false;
    }
  }

  /** What git says about the store. It only reads: where it cannot, something is missing or spoilt. */
  async ask(args: readonly string[], call: GitCall = {}): Promise<Buffer> {
    try {
      return await this.#git.bytes(args, { ...this.#call, ...call, directory: this.path });
    } catch (error) {
      throw asDamage(error);
    }
  }

  /**
   * Fetches, and says which of the wanted objects are here now. A store that does not let itself be
   * added to is thrown away, and the fetch begins with nothing.
   *
   * @throws GitFailure for what git or the server could not do
   */
  async receive(fetch: GitFetch, wanted: readonly string[]): Promise<ReadonlySet<string>> {
    const ledger = await this.#ledger();
    if (ledger === undefined) return this.#receiveInto(fetch, wanted, undefined);
    try {
      return await this.#receiveInto(fetch, wanted, ledger);
    } catch (error) {
      const isDamage = error instanceof DamagedStoreError;
      if (!isDamage && (!(error instanceof GitFailure) || error.kind === 'timeout')) throw error;
      if (!isDamage && isDiskTrouble(error.standardError)) throw error;
      if (!isDamage && (await this.#isWhole())) {
        // As far as one can see it was the server, or the way to it.
        await this.#note(this.path, { ...ledger, failures: ledger.failures + 1 });
        throw error;
      }
    }
    await this.reset();
    return this.#receiveInto(fetch, wanted, undefined);
  }

  async #receiveInto(
    fetch: GitFetch,
    wanted: readonly string[],
    known: Ledger | undefined,
  ): Promise<ReadonlySet<string>> {
    const quarantine = join(this.directory, `incoming-${randomUUID()}`);
    try {
      await mkdir(quarantine, { mode: 0o700 });
      const call = { ...this.#call, directory: quarantine };
      await this.#git.bytes(['init', '--quiet', '--bare', '.'], call);
      const isSeeded = known !== undefined && (await this.#seed(quarantine));
      await this.#git.bytes(await fetchArguments(fetch, quarantine), call);
      const found = await this.#wholeOf(wanted, call, isSeeded);
      if (found.size === 0) return found;
      await mkdir(join(quarantine, 'refs', 'waygate'), { recursive: true });
      for (const sha of found) {
        await writeFile(join(quarantine, ...wholeReference(sha)), `${sha}\n`);
      }
      const owner = this.#owner;
      const fetches = (isSeeded ? known.fetches : 0) + 1;
      await this.#note(quarantine, { format: 1, owner, fetches, failures: 0 });
      await this.#replaceBy(quarantine);
      return found;
    } finally {
      await this.#discard(quarantine);
    }
  }

  /** Gives a quarantine what the store has, so that only the rest is sent. The bytes are shared. */
  async #seed(quarantine: string): Promise<boolean> {
    const objects = join(this.path, 'objects');
    const isPacked = (await readdir(objects)).every((name) => name === 'pack' || name === 'info');
    if (!isPacked) return false;
    const packs = join(quarantine, 'objects', 'pack');
    try {
      for (const name of await readdir(join(objects, 'pack'))) {
        if (!/^pack-[0-9a-f]+\.(pack|idx|rev)$/.test(name)) continue;
        await link(join(objects, 'pack', name), join(packs, name));
      }
      await copyFile(join(this.path, 'shallow'), join(quarantine, 'shallow')).catch(ifThere);
      const references = await readdir(join(this.path, 'refs', 'waygate'));
      await mkdir(join(quarantine, 'refs', 'waygate'), { recursive: true });
      for (const name of references) {
        const parts = wholeReference(name);
        await copyFile(join(this.path, ...parts), join(quarantine, ...parts));
      }
      return true;
    } catch (error) {
      if (diskErrorIn(error) !== undefined) throw error;
      throw new DamagedStoreError('it cannot be copied', error);
    }
  }

  /** Which objects are there, each with all of its trees and blobs. */
  async #wholeOf(
    wanted: readonly string[],
    call: GitCall,
    isSeeded: boolean,
  ): Promise<ReadonlySet<string>> {
    const input = wanted.map((sha) => `${sha}\n`).join('');
    const answer = await this.#git.text(['cat-file', '--batch-check'], { ...call, input });
    const found = new Set<string>();
    for (const line of answer.split('\n').slice(0, -1)) {
      const [sha = '', type = ''] = line.split(' ');
      if (type !== 'missing') found.add(sha);
    }
    if (found.size === 0) return found;
    try {
      await this.#git.bytes(connectivity, { ...call, input: [...found, ''].join('\n') });
    } catch (error) {
      // What the server was told to be here was not, or the server did not send the rest.
      throw isSeeded ? asDamage(error) : error;
    }
    return found;
  }

  /** Whether everything is there that counts as present. */
  async #isWhole(): Promise<boolean> {
    try {
      const references = await readdir(join(this.path, 'refs', 'waygate'));
      const input = [...references, ''].join('\n');
      await this.#git.bytes(connectivity, { ...this.#call, directory: this.path, input });
      return true;
    } catch (error) {
      if (error instanceof GitFailure && error.kind === 'timeout') throw error;
      this.#call.signal?.throwIfAborted();
      return false;
    }
  }

  async #replaceBy(quarantine: string): Promise<void> {
    const old = join(this.directory, `old-${randomUUID()}`);
    await rename(this.path, old).catch(ifThere);
    // A kill here costs the store, and nothing else.
    await rename(quarantine, this.path);
    await this.#discard(old);
  }

  async #ledger(): Promise<Ledger | undefined> {
    try {
      const ledger = JSON.parse(await readFile(join(this.path, 'waygate-store'), 'utf8')) as Ledger;
      return ledger.format === 1 ? ledger : undefined;
    } catch {
      // There is none yet, or a crash left half of one.
      return undefined;
    }
  }

  async #note(directory: string, ledger: Ledger): Promise<void> {
    const file = join(directory, 'waygate-store');
    await writeFile(`${file}.new`, JSON.stringify(ledger));
    await rename(`${file}.new`, file);
  }

  /** What cannot be removed now, since somebody still writes there, is removed another time. */
  async #discard(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** All trees and blobs of the commits given, and nothing of their past. */
const connectivity = ['rev-list', '--objects', '--no-walk', '--quiet', '--stdin'];

async function fetchArguments(
  { url, references, isShallow }: GitFetch,
  quarantine: string,
): Promise<string[]> {
  const names = isShallow ? [] : await readdir(quarantine);
  const past = names.includes('shallow') ? ['--unshallow'] : [];
  const depth = isShallow ? ['--depth=1'] : past;
  return ['fetch', '--quiet', '--no-tags', '--force', ...depth, '--', url, ...references];
}

/** The file of the reference that says that an object is whole. */
function wholeReference(sha: string): [string, string, string] {
  return ['refs', 'waygate', sha];
}

/** What git could not read of a store; its time may also have been up. */
export function asDamage(error: unknown): unknown {
  if (!(error instanceof GitFailure) || error.kind === 'timeout') return error;
  const [first = ''] = error.standardError.split('\n');
  return new DamagedStoreError(first === '' ? `git ended with ${error.exitCode}` : first, error);
}

function ifThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
