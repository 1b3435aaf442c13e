import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

interface FollowedFile {
  readonly text: string;
  /** Each new content, until the signal is aborted. A file that is away for a moment is waited for. */
  readonly changes: AsyncIterable<string>;
}

/**
 * Reads a file and follows it. The directory is watched, not the file: editors and mounted
 * ConfigMaps replace a file by renaming another one over it.
 */
export async function followFile(path: string, signal: AbortSignal): Promise<FollowedFile> {
  const text = await readFile(path, 'utf8');
  return { text, changes: changesOf(path, text, signal) };
}

async function* changesOf(
  path: string,
  first: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let last = first;
  let wake: (() => void) | undefined;
  let isDirty = true; // it may have changed between the first read and the watch
  const notice = (): void => {
    isDirty = true;
    wake?.();
  };
  if (signal.aborted) return;
  const watcher = watch(dirname(path), notice);
  // A file system that cannot tell (some network mounts) fails here; the content in force stays.
  watcher.on('error', () => watcher.close());
  signal.addEventListener('abort', notice, { once: true });
  try {
    while (!signal.aborted) {
      if (!isDirty) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      isDirty = false;
      const text = await readFile(path, 'utf8').catch(() => undefined);
      if (text === undefined || text === last) continue;
      last = text;
      yield text;
    }
  } finally {
    watcher.close();
    signal.removeEventListener('abort', notice);
  }
}
