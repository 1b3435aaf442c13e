import type { AnswerComparison } from '../drivers/kong-compare.ts';

/** What came back for a request. */
export interface KongAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** In what two answers differ: the first of these that they do. */
export type DifferenceKind =
  | 'status'
  | 'header'
  | 'missing'
  | 'extra'
  | 'type'
  | 'message'
  | 'value';

export interface AnswerDifference {
  readonly kind: DifferenceKind;
  /** Where, and what each said. */
  readonly what: string;
}

const comparedHeaders = [
  'content-type',
  'allow',
  'access-control-allow-methods',
  'www-authenticate',
];

/** Paths that tell of the program itself: only that they answer alike is compared. */
const ofTheProgram = /^\/(status|timers|metrics|debug\/|cache\/)?(\?|$)/;

/** How our answer differs from the real one, or undefined if they agree in all that is not volatile. */
export function answerDifference(
  path: string,
  real: KongAnswer,
  ours: KongAnswer,
  comparison: AnswerComparison,
): AnswerDifference | undefined {
  if (real.status !== ours.status) {
    return { kind: 'status', what: `${real.status}, ours ${ours.status}: ${cut(ours.body)}` };
  }
  for (const name of comparedHeaders) {
    const [theirs, own] = [real.headers[name], ours.headers[name]].map((value) =>
      String(value ?? '').toLowerCase(),
    );
    if (theirs !== own) {
      return { kind: 'header', what: `${name}: ${theirs || 'none'}, ours ${own || 'none'}` };
    }
  }
  if (ofTheProgram.test(path)) {
    return undefined;
  }
  const what = comparison.compare(withoutTimes(real.body), withoutTimes(ours.body));
  return what === undefined ? undefined : { kind: kindOf(what, real.body, ours.body), what };
}

/** The text of a whole configuration says when its entities were made, which is not at the same time. */
function withoutTimes(body: unknown): unknown {
  const { config } = (body ?? {}) as { config?: unknown };
  if (typeof config !== 'string') return body;
  const text = config.replace(/\b(created|updated)_at: [\d.]+/g, '$1_at: 0');
  return { ...(body as object), config: text };
}

function kindOf(what: string, real: unknown, ours: unknown): DifferenceKind {
  if (what.endsWith('got nothing')) return 'missing';
  if (what.includes('unexpected')) return 'extra';
  if (typeof real !== typeof ours || Array.isArray(real) !== Array.isArray(ours)) return 'type';
  return /^\$\.(message|fields|flattened_errors)/.test(what) ? 'message' : 'value';
}

function cut(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, 200);
}
