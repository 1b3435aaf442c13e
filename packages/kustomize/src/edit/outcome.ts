import type { ListedFileSystem } from '../file-system/file-system.ts';

/** Where an edit happens: all that it may see of the world. */
export interface EditPlace {
  readonly fileSystem: ListedFileSystem;
  /** The directory that the command is given in; its kustomization file is the one that changes. */
  readonly directory: string;
}

/** A file as it should be. */
export interface FileWrite {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * What an edit comes to. Nothing is written by the edit itself: `writes` holds for a failed edit
 * too, as the original leaves behind what it wrote before it failed.
 */
export interface EditOutcome {
  readonly writes: readonly FileWrite[];
  readonly stdout: string;
  /** What the original prints to standard error. Lines of its log lack the time, and are marked. */
  readonly messages: readonly EditMessage[];
  /** Why the edit failed, in the original's words. */
  readonly problem?: string;
}

/** A line for standard error. */
export interface EditMessage {
  readonly text: string;
  /** Whether the original puts the time in front of it. */
  readonly isLogged: boolean;
}

/** Collects what an edit does, until it ends or fails. */
export class EditRecord {
  readonly writes: FileWrite[] = [];
  readonly messages: EditMessage[] = [];
  stdout = '';

  log(text: string): void {
    this.messages.push({ text, isLogged: true });
  }

  say(text: string): void {
    this.messages.push({ text, isLogged: false });
  }

  write(path: string, content: string | Uint8Array): void {
    this.writes.push({ path, content });
  }
}
