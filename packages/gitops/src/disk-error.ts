/** What a system says of a disk that is full, spent or broken. */
const codes = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE']);

/** The failure of a disk that is at the bottom of an error, if one is. */
export function diskErrorIn(error: unknown): NodeJS.ErrnoException | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (code !== undefined && codes.has(code)) return at;
  }
  return undefined;
}
