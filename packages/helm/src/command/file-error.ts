const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'file exists',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** What a file system said, in Go's words: `open /a/b: permission denied`; undefined of anything else. */
export function fileErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined;
  const { syscall, code, message } = error;
  const why = words[String(code)];
  if (why === undefined) return message;
  const path = 'path' in error ? ` ${error.path}` : '';
  return `${syscall}${path}: ${why}`;
}
