import type { ComponentChildren } from 'preact';
import type { Topic } from '../../../src/protocol/stream.ts';
import type { ApiFailure } from '../live/api.ts';
import { connection } from '../live/dashboard.ts';
import type { TopicTable } from '../live/topic-table.ts';
import { Icon } from './icon.tsx';
import { PageHead } from './page-head.tsx';

/** What stands where nothing is, and why that is so. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Arch />
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

/** The gate, standing open. */
export function Arch() {
  return (
    <svg class="arch" viewBox="0 0 160 96" aria-hidden="true">
      <path class="arch-ground" d="M4 88h152" />
      <path class="arch-far" d="M60 88V58a20 20 0 0 1 40 0v30" />
      <path class="arch-near" d="M44 88V52a36 36 0 0 1 72 0v36" />
      <circle class="arch-sun" cx="80" cy="60" r="7" />
      <path class="arch-way" d="M80 88c0-8-4-10-4-14" />
    </svg>
  );
}

/** Something could not be read: what, and what to do. */
export function Failure({
  failure,
  onRetry,
}: {
  readonly failure: ApiFailure;
  readonly onRetry?: () => void;
}) {
  return (
    <div class="failure" role="alert">
      <Icon name="error" size={20} />
      <div>
        <p class="failure-message">{failure.refusal.message}</p>
        {failure.refusal.hint && <p class="muted">{failure.refusal.hint}</p>}
        <p class="failure-code">{failure.refusal.code}</p>
      </div>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Lines where text will be. Nothing moves: it is gone in a moment, or the failure is told. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} class="loading-row" />
      ))}
    </div>
  );
}

/** A live table's content, once it can be shown; until then why not. */
export function WhenRead<T extends Topic>({
  title,
  table,
  children,
}: {
  /** The page's, which has a name before it has content. */
  readonly title: string;
  readonly table: TopicTable<T>;
  readonly children: () => ComponentChildren;
}) {
  if (table.hasRows.value) return <>{children()}</>;
  const failure = table.failure.value;
  return (
    <>
      <PageHead title={title} />
      {failure ? <Failure failure={failure} onRetry={() => connection.retryNow()} /> : <Loading />}
    </>
  );
}
