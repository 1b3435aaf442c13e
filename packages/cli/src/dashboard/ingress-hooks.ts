import type { DashboardCore } from '@waygate/dashboard';
import type { IngressControllerOptions } from '@waygate/ingress';
import { IngressProblems } from './ingress-problems.ts';

/** What an ingress controller of this process tells the dashboard: what it wrote, and what it could not. */
export function ingressHooks(
  core: DashboardCore,
): Required<Pick<IngressControllerOptions, 'onPass' | 'onWritten'>> {
  const problems = new IngressProblems();
  return {
    onPass: (report) => {
      if (problems.note(report)) core.setReported(problems.all());
      const { outcome } = report;
      core.noteSync('error' in outcome ? outcome.error.message : undefined);
      // What gateways without a database were sent is in no steps: they are asked.
      if (outcome.kind === 'applied') core.noteApply();
    },
    onWritten: (operations) => core.noteWritten(operations),
  };
}
