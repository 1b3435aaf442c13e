/** Something that is wrong now, until it is not. */
export interface UpProblem {
  /** The same for the same thing, however it is worded. */
  readonly key: string;
  /** `Service default/web`. */
  readonly object: string;
  readonly field?: string | undefined;
  readonly message: string;
  /** Where it is mended, when that is a chart: `web/templates/service.yaml:3`. */
  readonly place?: string | undefined;
  readonly fix?: string | undefined;
}

/** What changed on the board. */
interface BoardChange {
  readonly appeared: readonly UpProblem[];
  readonly solved: readonly UpProblem[];
}

/** All that is wrong now, by who says so. */
export class ProblemBoard {
  readonly #bySource = new Map<string, readonly UpProblem[]>();

  /** What a source finds wrong now; what it no longer names is solved. */
  set(source: string, problems: readonly UpProblem[]): BoardChange {
    const before = new Map((this.#bySource.get(source) ?? []).map((each) => [each.key, each]));
    const after = new Map(problems.map((each) => [each.key, each]));
    this.#bySource.set(source, [...after.values()]);
    return {
      appeared: [...after.values()].filter(
        ({ key, message }) => before.get(key)?.message !== message,
      ),
      solved: [...before.values()].filter(({ key }) => !after.has(key)),
    };
  }

  get all(): readonly UpProblem[] {
    return [...this.#bySource.values()].flat();
  }
}

/** `Service default/web: spec.ports is … (web/templates/service.yaml:3)`. */
export function problemText({ object, field, message, place }: UpProblem): string {
  const from = place === undefined ? '' : ` (${place})`;
  return `${object}: ${field === undefined ? '' : `${field} `}${message}${from}`;
}
