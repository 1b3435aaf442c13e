import type { ProblemRow } from '../../../../src/protocol/problems.ts';
import { Icon } from '../../parts/icon.tsx';
import { ObjectLink, OriginLine } from '../../parts/references.tsx';
import { lastingText, now } from '../../parts/when.tsx';

/** One problem: what, where, what it does, what to do. */
export function ProblemCard({
  row,
  isMeant = false,
  isNow = true,
}: {
  readonly row: ProblemRow;
  readonly isMeant?: boolean;
  /** It is there, not only foreseen. */
  readonly isNow?: boolean;
}) {
  return (
    <article class={`problem problem-${row.severity}${isMeant ? ' problem-meant' : ''}`}>
      <div class="problem-head">
        <h3>{row.message}</h3>
        {isNow && (
          <span class="problem-since" title={new Date(row.since).toLocaleString()}>
            for {lastingText(row.since, Math.max(now.value, row.since))}
          </span>
        )}
      </div>
      <div class="problem-where">
        {row.object && <ObjectLink object={row.object} />}
        {row.field && <code class="problem-field">{row.field}</code>}
        <OriginLine origin={row.origin} />
      </div>
      {row.effect && <p class="problem-effect">{row.effect}</p>}
      {row.fix && (
        <p class="problem-fix">
          <Icon name="fix" />
          <span>{row.fix}</span>
        </p>
      )}
    </article>
  );
}
