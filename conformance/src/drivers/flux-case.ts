import { equalJson } from '@waygate/text';
import { fail, type Outcome, pass } from '../driver.ts';

/** What all cases have; the rest is the check's business. */
export interface FluxCase {
  readonly id: string;
  readonly fn?: string;
  readonly expected?: unknown;
  readonly expectedError?: string;
  readonly expectedPanic?: string;
  readonly [field: string]: unknown;
}

export type Check = (one: FluxCase) => Outcome | Promise<Outcome>;

/** Texts of errors are the words of Go's libraries: that there is one is what counts. */
export async function compare(
  one: FluxCase,
  compute: () => unknown,
  isSame: (actual: unknown, expected: unknown) => boolean = equalJson,
): Promise<Outcome> {
  const wantsError = one.expectedError !== undefined || one.expectedPanic !== undefined;
  let actual: unknown;
  try {
    actual = await compute();
  } catch (error) {
    if (wantsError && !isMistake(error)) return pass;
    return fail(`wanted ${show(one.expected)}, failed with ${(error as Error).message}`);
  }
  if (wantsError) return fail(`wanted an error (${one.expectedError}), got ${show(actual)}`);
  if (isSame(actual, one.expected)) return pass;
  return fail(`wanted ${show(one.expected)}, got ${show(actual)}`);
}

/** An error of ours in the program is never the one that was wanted of the input. */
function isMistake(error: unknown): boolean {
  return (
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  );
}

export function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 600);
}
