import { freePort } from '../processes/free-port.ts';

/** The port that was asked for, else the last one where it is free, else any. */
export async function pickPort(wanted: number, last: number): Promise<number> {
  return wanted === 0 && last !== 0 ? freePort(last) : wanted;
}

/** Waits for all of them even when one fails, so that what is to be stopped then is known. */
export async function allStarted<T extends readonly unknown[]>(
  parts: { [K in keyof T]: Promise<T[K]> },
): Promise<T> {
  await Promise.allSettled(parts);
  return Promise.all(parts) as unknown as Promise<T>;
}

/** A promise that is kept from outside. */
export function resolvable(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}
