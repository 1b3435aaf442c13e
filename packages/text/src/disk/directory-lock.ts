import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type LockOwner, ownerText, readOwner, thisProcess } from './lock-owner.ts';
import { type LockAttempt, lockByName, lockBySocket } from './socket-lock.ts';
import { StorageError, storageError } from './storage-error.ts';
import { writeWholeFile } from './whole-file.ts';

/** Of BSD and macOS: the kernel locks the file as it opens it, and unlocks it with the process. */
const openExclusively = 0x20;
const hasExclusiveOpen = ['darwin', 'freebsd', 'openbsd', 'netbsd'].includes(process.platform);
/** A file system that knows no sockets or no links says one of these. */
const unsupported = new Set(['EPERM', 'EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENXIO']);

/**
 * The right to write to a directory: one process has it, until it lets go or ends, however it ends.
 *
 * ```ts
 * const lock = await DirectoryLock.acquire('/var/lib/waygate');
 * // … no other process writes there …
 * await lock.release();
 * ```
 */
export class DirectoryLock {
  readonly directory: string;
  readonly #release: () => Promise<void>;

  private constructor(directory: string, release: () => Promise<void>) {
    this.directory = directory;
    this.#release = release;
  }

  /**
   * Takes the lock at once or not at all. The directory is made if it is not there.
   *
   * @throws StorageError `WG_STORAGE_LOCKED` that names the process that has it
   */
  static async acquire(directory: string): Promise<DirectoryLock> {
    const place = join(directory, 'lock');
    const owner = thisProcess();
    let attempt: LockAttempt;
    try {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      attempt = hasExclusiveOpen ? lockByOpening(place, owner) : await lockInside(place, owner);
    } catch (error) {
      throw storageError(error, place, 'cannot lock');
    }
    if (attempt.kind === 'taken') {
      const who = ownerText(attempt.owner ?? readOwner(join(place, 'owner.json')));
      throw new StorageError('WG_STORAGE_LOCKED', directory, `${directory} is in use by ${who}`, {
        hint: 'Only one process may write to a data directory: stop that one, or name another directory.',
      });
    }
    try {
      // For a holder that is too busy to answer. A full disk takes nothing but this name away, and after a power cut
      // nobody holds it.
      writeWholeFile(join(place, 'owner.json'), JSON.stringify(owner), { isLasting: false });
    } catch {
      // The lock itself stands.
    }
    return new DirectoryLock(directory, attempt.release);
  }

  async release(): Promise<void> {
    await this.#release();
  }
}

async function lockInside(place: string, owner: LockOwner): Promise<LockAttempt> {
  try {
    return await lockBySocket(place, owner);
  } catch (error) {
    if (!unsupported.has(String((error as NodeJS.ErrnoException).code))) throw error;
    const { dev, ino } = statSync(place);
    return lockByName(`${dev}-${ino}`, owner);
  }
}

function lockByOpening(place: string, owner: LockOwner): LockAttempt {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_CREAT | O_NONBLOCK | openExclusively;
  let descriptor: number;
  try {
    descriptor = openSync(join(place, 'file'), flags, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EAGAIN' && code !== 'EWOULDBLOCK') throw error;
    return { kind: 'taken', owner: readOwner(join(place, 'file')) };
  }
  ftruncateSync(descriptor);
  writeSync(descriptor, JSON.stringify(owner));
  return { kind: 'held', release: async () => closeSync(descriptor) };
}
