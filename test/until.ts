/** How long tests wait for what is to come: machines are busy, and a test has 30 s in all. */
export const patience = { timeout: 25_000, interval: 20 };

/**
 * Looks until there is something: neither `false` nor `undefined`. A test that waits in vain says what
 * for. What is given as a function is put into words only then, so it can tell what was seen last.
 */
export async function until<T>(
  what: string | (() => string),
  look: () => Promise<T | undefined | false> | T | undefined | false,
  { timeout = patience.timeout, interval = patience.interval }: Partial<typeof patience> = {},
): Promise<T> {
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline)
      throw new Error(`never came true: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
