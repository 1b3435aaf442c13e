import type { ProblemRow, Severity } from '../../../../src/protocol/problems.ts';
import { tables, useTopics } from '../../live/dashboard.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ObjectLink, OriginLine } from '../../parts/references.tsx';
import { lastingText, now } from '../../parts/when.tsx';
import { place } from '../../place/place.ts';

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
      <WhenRead table={tables.problems}>{() => <ProblemList />}</WhenRead>
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
              <Problem key={row.id} row={row} />
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

function Problem({ row }: { readonly row: ProblemRow }) {
  const isMeant = place.value.query.get('problem') === row.id;
  return (
    <article class={isMeant ? 'problem problem-meant' : 'problem'}>
      <div class="problem-head">
        <h3>{row.message}</h3>
        <span class="problem-since" title={new Date(row.since).toLocaleString()}>
          for {lastingText(row.since, Math.max(now.value, row.since))}
        </span>
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
