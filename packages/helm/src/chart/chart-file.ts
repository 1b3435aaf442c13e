/** A file of a chart. Its name is relative to the chart, with `/`. */
export interface ChartFile {
  readonly name: string;
  readonly data: Uint8Array;
  /** When it was last changed, in milliseconds since 1970: Helm 4 keeps it when it packs a chart. */
  readonly modifiedAtMs?: number | undefined;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of a file; bytes that are no UTF-8 become U+FFFD. */
export function textOf(file: Pick<ChartFile, 'data'>): string {
  return decoder.decode(file.data);
}

/** The bytes without the mark that some editors put before them. */
export function withoutByteOrderMark(data: Uint8Array): Uint8Array {
  const isMarked = data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf;
  return isMarked ? data.subarray(3) : data;
}
