import { tarEnd, tarHeader, tarPadding } from '@waygate/text';

/** A file to be put into an archive. */
export interface TarFile {
  readonly name: string;
  readonly data: Uint8Array;
  readonly modifiedAtMs: number;
}

/** The bytes of a tar archive. The same files make the same bytes. */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const parts = files.flatMap(({ name, data, modifiedAtMs }) => [
    tarHeader({ name, size: data.length, mode: 0o644, modifiedAtMs }),
    data,
    tarPadding(data.length),
  ]);
  return Buffer.concat([...parts, tarEnd]);
}
