import type { Severity } from '../../../../src/protocol/problems.ts';
import { tables, useTopics } from '../../live/dashboard.ts';
import { Empty, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { place } from '../../place/place.ts';
import { ProblemCard } from './problem-card.tsx';

const severities: readonly { severity: Severity; title: string; says: string }[] = [
  { severity: 'outage', title: 'Outage', says: 'Traffic fails now.' },
  { severity: 'blocked', title: 'Blocked', says: 'A change does not get through.' },
  { severity: 'warning', title: 'Warning', says: 'Works, but will fail or is odd.' },
];

/** What is wrong now, worst first. */
export function ProblemsPage() {
  useTopics('problems', 'routes', 'changes');
  return (
    <div class="page">
      <WhenRead title="Problems" table={tables.problems}>
        {() => <ProblemList />}
      </WhenRead>
    </div>
  );
}

function ProblemList() {
  const rows = tables.problems.rows.value;
  if (rows.length === 0)
    return (
      <>
        <PageHead title="Problems" />
        <Empty title="Nothing is wrong">
          <WellWords />
        </Empty>
      </>
    );
  return (
    <>
      <PageHead
        title="Problems"
        aside={rows.length === 1 ? 'one' : `${rows.length}, worst first`}
      />
      {severities.map(({ severity, title, says }) => {
        const group = rows
          .filter((row) => row.severity === severity)
          .toSorted((one, other) => one.since - other.since);
        if (group.length === 0) return null;
        return (
          <section key={severity} class={`problems problems-${severity}`}>
            <h2>
              {title} <span class="problems-says">{says}</span>
            </h2>
            {group.map((row) => (
              <ProblemCard
                key={row.id}
                row={row}
                isMeant={place.value.query.get('problem') === row.id}
              />
            ))}
          </section>
        );
      })}
    </>
  );
}

function WellWords() {
  const routes = tables.routes.rows.value.length;
  if (routes === 0) return <>No object, no route and no target has anything to complain about.</>;
  return (
    <>
      {routes === 1 ? 'One route is' : `All ${routes.toLocaleString('en')} routes are`} served.
      Enjoy the quiet.
    </>
  );
}
