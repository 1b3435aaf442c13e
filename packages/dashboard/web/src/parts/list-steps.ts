/** Where somebody is in a list: -1 is nowhere yet. */
interface ListPlace {
  readonly at: number;
  /** How many rows are seen at once. */
  readonly page: number;
  readonly count: number;
}

/** The row that a key leads to, which may be beyond the ends; undefined for keys that lead nowhere. */
export function stepTo(key: string, { at, page, count }: ListPlace): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at < 0 ? count - 1 : at - 1;
    case 'PageDown':
      return at + page;
    case 'PageUp':
      return at - page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
