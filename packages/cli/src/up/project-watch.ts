import { type FSWatcher, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { projectFileName } from '../project/project-file.ts';

const settleMs = 30;
/** Where watches tell nothing (a network's file system), looking does. */
const lookMs = 1_000;

/** Tells when a directory's `waygate.yaml` was written, replaced, made or taken away. */
export function watchProjectFile(directory: string, onChange: () => void): { close(): void } {
  const file = join(directory, projectFileName);
  let known = stateOf(file);
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const now = stateOf(file);
    if (now === known) return;
    known = now;
    onChange();
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(directory, { persistent: false }, (_event, name) => {
      if (name !== null && name !== projectFileName) return;
      clearTimeout(timer);
      timer = setTimeout(look, settleMs);
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // Looking now and then must do.
  }
  const looking = setInterval(look, lookMs).unref();
  return {
    close() {
      clearTimeout(timer);
      clearInterval(looking);
      watcher?.close();
    },
  };
}

function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return '';
  }
}
