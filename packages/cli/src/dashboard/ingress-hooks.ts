import type { DashboardCore, ReportedProblem } from '@waygate/dashboard';
import type { IngressControllerOptions } from '@waygate/ingress';
import { IngressProblems } from './ingress-problems.ts';

/** What an ingress controller of this process tells the dashboard: what it wrote, and what it could not. */
export class IngressHooks
  implements Required<Pick<IngressControllerOptions, 'onPass' | 'onLook' | 'onWritten'>>
{
  readonly #core: DashboardCore;
  readonly #problems = new IngressProblems();
  #unserved: readonly ReportedProblem[] = [];

  constructor(core: DashboardCore) {
    this.#core = core;
  }

  readonly onPass: Required<IngressControllerOptions>['onPass'] = (report) => {
    if (this.#problems.note(report)) this.#report();
    const { outcome } = report;
    this.#core.noteSync('error' in outcome ? outcome.error.message : undefined);
    // What gateways without a database were sent is in no steps: they are asked.
    if (outcome.kind === 'applied') this.#core.noteApply();
  };

  /** Another replica writes: what it was refused is its own to tell, what cannot be translated is seen here too. */
  readonly onLook: NonNullable<IngressControllerOptions['onLook']> = (problems) => {
    if (this.#problems.replace(problems)) this.#report();
    this.#core.noteOthersWrite();
  };

  readonly onWritten: Required<IngressControllerOptions>['onWritten'] = (operations) =>
    this.#core.noteWritten(operations);

  /** Routes that the controller leaves alone, as it should, but that nobody else serves. */
  setUnserved(problems: readonly ReportedProblem[]): void {
    if (problems.length === 0 && this.#unserved.length === 0) return;
    this.#unserved = problems;
    this.#report();
  }

  #report(): void {
    this.#core.setReported([...this.#problems.all(), ...this.#unserved]);
  }
}
