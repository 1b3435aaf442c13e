import type { ProblemRow } from '../../../src/protocol/problems.ts';
import { tables } from '../live/dashboard.ts';

/** Why the gateway cannot be read now; undefined when it can be, or when that is not for who looks. */
export function gatewayFault(): ProblemRow | undefined {
  return tables.problems.get('gateway/read');
}

/** Says on a page that shows the gateway that it shows what was. */
export function GatewayFault() {
  const fault = gatewayFault();
  if (fault === undefined) return null;
  return (
    <p class="note note-bad gateway-fault" role="status">
      {fault.message}. What is shown of it is as it was. <a href="/problems">What to do</a>
    </p>
  );
}
