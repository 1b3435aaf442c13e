import { useMemo } from 'preact/hooks';
import type { ChangeKind, ChangeRow } from '../../../../src/protocol/changes.ts';
import { tables, useTopics } from '../../live/dashboard.ts';
import { Choices } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { IconName } from '../../parts/icon-name.ts';
import { useIsNarrow } from '../../parts/narrow.ts';
import { Empty, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CommitLink } from '../../parts/references.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { clockText, now } from '../../parts/when.tsx';
import { changeAddress } from '../../place/addresses.ts';
import { go, place, setQuery } from '../../place/place.ts';
import { byDay, changeFields, filterChanges } from './change-filter.ts';

const kinds = [
  { value: '', title: 'All' },
  { value: 'fetch', title: 'Commits' },
  { value: 'apply', title: 'Applies' },
  { value: 'sync', title: 'Syncs' },
  { value: 'drift', title: 'Drift' },
  { value: 'error', title: 'Errors' },
] as const;

const kindIcons: Readonly<Record<ChangeKind, IconName>> = {
  fetch: 'fetch',
  apply: 'apply',
  sync: 'sync',
  drift: 'drift',
  error: 'error',
};

type TimelineRow = { readonly day: string } | { readonly change: ChangeRow };

/** Everything that happened, newest first. */
export function ChangesPage() {
  useTopics('changes');
  return (
    <div class="page page-list">
      <WhenRead title="Changes" table={tables.changes}>
        {() => <Timeline />}
      </WhenRead>
    </div>
  );
}

function Timeline() {
  const { query } = place.value;
  const typed = query.get('q') ?? '';
  const kind = query.get('kind') ?? '';
  const all = tables.changes.rows.value;
  const shown = useMemo(() => filterChanges(all, typed, kind), [all, typed, kind]);
  const isNarrow = useIsNarrow();
  const today = new Date(now.value).setHours(12, 0, 0, 0);
  const rows = useMemo(
    (): TimelineRow[] =>
      byDay(shown, today).flatMap(({ title, rows: ofDay }) => [
        { day: title },
        ...ofDay.map((change) => ({ change })),
      ]),
    [shown, today],
  );
  const counted =
    shown.length === all.length
      ? `${all.length.toLocaleString('en')} ${all.length === 1 ? 'change' : 'changes'}`
      : `${shown.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} changes`;
  if (all.length === 0)
    return (
      <>
        <PageHead title="Changes" />
        <Empty title="Nothing has happened yet">
          Commits, applies and syncs appear here as they happen.
        </Empty>
      </>
    );
  return (
    <>
      <PageHead title="Changes" aside={counted}>
        <SearchField
          label="Filter changes"
          placeholder="Filter by words, ns:shop, author:ada, commit:8f2c …"
          value={typed}
          onInput={(q) => setQuery({ q })}
          hint={`Words before a colon: ${changeFields.join(', ')}.`}
        />
        <Choices
          label="Kind"
          choices={kinds}
          value={kind}
          onChoose={(value) => setQuery({ kind: value })}
        />
      </PageHead>
      <div class="split">
        {rows.length === 0 ? (
          <p class="none-left">
            <Icon name="search" /> Nothing like that has happened.{' '}
            <button type="button" class="link" onClick={() => setQuery({ q: '', kind: '' })}>
              Show all
            </button>
          </p>
        ) : (
          <VirtualList
            label="Changes"
            rows={rows}
            rowHeight={isNarrow ? 72 : 46}
            keyOf={(row) => ('day' in row ? `day ${row.day}` : row.change.id)}
            onSelect={(row) => {
              if ('change' in row) go(changeAddress(row.change.id));
            }}
            render={(row) =>
              'day' in row ? <h2 class="day">{row.day}</h2> : <ChangeLine row={row.change} />
            }
          />
        )}
      </div>
    </>
  );
}

/** One change in a list: what, by whom, when. */
export function ChangeLine({ row }: { readonly row: ChangeRow }) {
  const at = new Date(row.at);
  return (
    <div class={`change change-${row.kind}`}>
      <span class="change-mark" title={row.kind}>
        <Icon name={kindIcons[row.kind]} />
        <span class="unseen">{row.kind}</span>
      </span>
      {row.hasDetail ? (
        <a class="change-title" href={changeAddress(row.id)}>
          {row.title}
        </a>
      ) : (
        <span class="change-title">{row.title}</span>
      )}
      <span class="change-where">
        {row.namespaces.slice(0, 3).map((namespace) => (
          <span key={namespace} class="chip">
            {namespace}
          </span>
        ))}
        {row.namespaces.length > 3 && <span class="muted">+{row.namespaces.length - 3}</span>}
      </span>
      <span class="change-who">{row.author}</span>
      <span class="change-commit">
        {row.origin?.commit && <CommitLink commit={row.origin.commit} />}
      </span>
      <time class="change-when" dateTime={at.toISOString()} title={at.toLocaleString()}>
        {clockText(row.at)}
      </time>
    </div>
  );
}
