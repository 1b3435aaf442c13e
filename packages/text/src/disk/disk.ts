import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';

/** A file that is open. Positions are absolute: nothing depends on what was done before. */
export interface DiskFile {
  /** Writes all of it, or throws with some of it written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** As many bytes as there are, up to the length. */
  read(position: number, length: number): Promise<Buffer>;
  truncate(length: number): Promise<void>;
  /** Resolves when the content would survive a power cut. */
  sync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** The calls to the system that a store makes: a test puts faults between. */
export interface Disk {
  list(directory: string): Promise<string[]>;
  makeDirectory(path: string): Promise<void>;
  /** Makes the file empty if it is there. Only its owner may read it. */
  create(path: string): Promise<DiskFile>;
  openToWrite(path: string): Promise<DiskFile>;
  openToRead(path: string): Promise<DiskFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the names in a directory last through a power cut. */
  syncDirectory(path: string): Promise<void>;
}

/** The disk of this machine. */
export const systemDisk: Disk = {
  list: (directory) => readdir(directory),
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  create: async (path) => new SystemFile(await open(path, 'w+', 0o600)),
  openToWrite: async (path) => new SystemFile(await open(path, 'r+', 0o600)),
  openToRead: async (path) => new SystemFile(await open(path, 'r')),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true, recursive: true }),
  syncDirectory: async (path) => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

class SystemFile implements DiskFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(
        bytes,
        at,
        bytes.length - at,
        position + at,
      );
      at += bytesWritten;
    }
  }

  async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let at = 0;
    while (at < length) {
      const { bytesRead } = await this.#handle.read(buffer, at, length - at, position + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return buffer.subarray(0, at);
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
