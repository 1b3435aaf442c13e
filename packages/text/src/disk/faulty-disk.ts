import type { Disk, DiskFile } from './disk.ts';

/** What happens at a call: nothing, an error of the system, or the end of the process. */
export type Fault = 'none' | 'ENOSPC' | 'EIO' | 'crash';

/** What a disk writes in one piece. */
const sectorBytes = 512;

export class CrashError extends Error {}

/** A disk that fails where it is told to: for tests of what is kept on one. */
export class FaultyDisk implements Disk {
  readonly #disk: Disk;
  readonly #faultAt: (call: number, name: string) => Fault;
  #isDead = false;
  /** How many calls that change something were made. */
  calls = 0;

  constructor(disk: Disk, faultAt: (call: number, name: string) => Fault) {
    this.#disk = disk;
    this.#faultAt = faultAt;
  }

  list(directory: string): Promise<string[]> {
    return this.#disk.list(directory);
  }

  async makeDirectory(path: string): Promise<void> {
    this.meet('makeDirectory');
    await this.#disk.makeDirectory(path);
  }

  async create(path: string): Promise<DiskFile> {
    this.meet('create');
    return new FaultyFile(await this.#disk.create(path), this);
  }

  async openToWrite(path: string): Promise<DiskFile> {
    this.meet('open');
    return new FaultyFile(await this.#disk.openToWrite(path), this);
  }

  openToRead(path: string): Promise<DiskFile> {
    return this.#disk.openToRead(path);
  }

  async rename(from: string, to: string): Promise<void> {
    this.meet('rename');
    await this.#disk.rename(from, to);
  }

  async remove(path: string): Promise<void> {
    this.meet('remove');
    await this.#disk.remove(path);
  }

  async syncDirectory(path: string): Promise<void> {
    this.meet('syncDirectory');
    await this.#disk.syncDirectory(path);
  }

  /** Counts a call, and throws if it is to fail. A dead process makes no calls. */
  meet(name: string): void {
    if (this.#isDead) throw new CrashError('the process has ended');
    this.calls += 1;
    const fault = this.#faultAt(this.calls, name);
    if (fault === 'none') return;
    if (fault === 'crash') {
      this.#isDead = true;
      throw new CrashError('the process ends');
    }
    throw Object.assign(new Error(`${fault}: injected`), { code: fault });
  }
}

class FaultyFile implements DiskFile {
  readonly #file: DiskFile;
  readonly #disk: FaultyDisk;

  constructor(file: DiskFile, disk: FaultyDisk) {
    this.#file = file;
    this.#disk = disk;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    try {
      this.#disk.meet('write');
    } catch (error) {
      // A write that fails may have written a part; of one sector only where the machine went down.
      const isWhole = bytes.length <= sectorBytes && !(error instanceof CrashError);
      const part = isWhole || this.#disk.calls % 3 === 0 ? 0 : Math.floor(bytes.length / 2);
      await this.#file.write(bytes.subarray(0, part), position);
      throw error;
    }
    await this.#file.write(bytes, position);
  }

  read(position: number, length: number): Promise<Buffer> {
    return this.#file.read(position, length);
  }

  async truncate(length: number): Promise<void> {
    this.#disk.meet('truncate');
    await this.#file.truncate(length);
  }

  async sync(): Promise<void> {
    this.#disk.meet('sync');
    await this.#file.sync();
  }

  size(): Promise<number> {
    return this.#file.size();
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
