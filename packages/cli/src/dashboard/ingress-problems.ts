import type { ReportedProblem } from '@waygate/dashboard';
import type { PassReport, Problem } from '@waygate/ingress';
import { type KubeObject, parseApiVersion } from '@waygate/schema';

/** What the ingress controller of this process cannot do now, kept from pass to pass. */
export class IngressProblems {
  /** By the uid of the object, so that one that changed is judged anew. */
  #known = new Map<string, ReportedProblem[]>();

  /** Takes a pass in; says whether anything is different. */
  note(report: PassReport): boolean {
    const before = JSON.stringify(this.all());
    const { snapshot, services, rejected, changed, removed } = report;
    if (snapshot !== undefined) this.#known = new Map();
    for (const object of [...changed, ...removed]) this.#known.delete(uidOf(object));
    const found = snapshot?.problems ?? services.flatMap(({ problems }) => [...problems]);
    for (const problem of [...found, ...rejected]) this.#add(problem);
    return JSON.stringify(this.all()) !== before;
  }

  /** Takes in what a look at everything found; says whether anything is different. */
  replace(problems: readonly Problem[]): boolean {
    const before = JSON.stringify(this.all());
    this.#known = new Map();
    for (const problem of problems) this.#add(problem);
    return JSON.stringify(this.all()) !== before;
  }

  all(): readonly ReportedProblem[] {
    return [...this.#known.values()].flat();
  }

  #add({ object, field, message }: Problem): void {
    const { apiVersion = '', kind = '', namespace = '', name = '', uid = '' } = object;
    const shown = { ...parseApiVersion(apiVersion), kind, namespace, name };
    const known = this.#known.get(uid) ?? [];
    if (known.some((each) => each.message === message && each.field === field)) return;
    known.push({ object: shown, message, ...(field === undefined ? {} : { field }) });
    this.#known.set(uid, known);
  }
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}
