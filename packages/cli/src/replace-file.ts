import { realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Writes a person's file whole or not at all: who reads it meanwhile sees the old or the new one. Its rights
 * stay, and a link stays a link. Where its directory cannot be written the file itself is written over.
 */
export function replaceFile(path: string, content: string | Uint8Array): void {
  const at = realOf(path);
  const mode = statSync(at, { throwIfNoEntry: false })?.mode;
  const draft = `${at}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, content, { flag: 'wx', ...(mode === undefined ? {} : { mode }) });
    renameSync(draft, at);
  } catch (error) {
    rmSync(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (mode === undefined || !['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code ?? ''))
      throw error;
    writeFileSync(at, content);
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
