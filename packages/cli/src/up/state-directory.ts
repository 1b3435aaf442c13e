import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DirectoryLock, makeStateDirectory, writeWholeFile } from '@waygate/text';
import { anyPorts, type PortPlan } from '../runs/run-registry.ts';

/** Where a stack keeps its state: the directory that was asked for, or one that ends with the process. */
export class StateDirectory {
  readonly path: string;
  readonly isKept: boolean;
  #lock: DirectoryLock | undefined;

  constructor(wanted: string | undefined) {
    this.isKept = wanted !== undefined;
    this.path = wanted === undefined ? mkdtempSync(join(tmpdir(), 'waygate-')) : resolve(wanted);
  }

  /**
   * Makes the directory, and takes it for this process alone.
   *
   * @throws StorageError that names the process that has it
   */
  async claim(): Promise<void> {
    makeStateDirectory(this.path, { isLasting: this.isKept });
    this.#lock = await DirectoryLock.acquire(this.path);
  }

  /** A directory of one part of the stack; it holds secrets, so only its owner may look. */
  of(part: string): string {
    const path = join(this.path, part);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** Writes a file that only its owner may read, whole or not at all. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeWholeFile(path, text, { isLasting: this.isKept });
    return path;
  }

  /** A secret that outlives a restart where the state does; a file of its own, for its owner only. */
  secret(name: string): { readonly path: string; readonly value: string } {
    const before = this.#read(name)?.trim() ?? '';
    const value = /^[\w-]{32,}$/.test(before) ? before : randomBytes(24).toString('base64url');
    // Written anew even when it is known: the file may have been made readable for others.
    return { path: this.write(name, `${value}\n`), value };
  }

  /** The ports of the last run that kept its state here; undefined when there was none. */
  readPorts(): PortPlan | undefined {
    try {
      const value: Partial<PortPlan> = JSON.parse(
        readFileSync(join(this.path, 'ports.json'), 'utf8'),
      );
      return { ...anyPorts, ...value };
    } catch {
      // The first run here, or a file that was cut off: any free port will do.
      return undefined;
    }
  }

  writePorts(ports: PortPlan): void {
    this.write('ports.json', `${JSON.stringify(ports, null, 2)}\n`);
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(join(this.path, name), 'utf8');
    } catch {
      return undefined;
    }
  }

  /** Lets go of the directory, and removes what nobody asked to keep. */
  async release(): Promise<void> {
    await this.#lock?.release();
    if (!this.isKept) rmSync(this.path, { recursive: true, force: true });
  }
}
