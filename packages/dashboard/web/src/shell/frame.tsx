import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Session } from '../../../src/protocol/pages.ts';
import { connection, signOut, tables, useTopics } from '../live/dashboard.ts';
import { Icon } from '../parts/icon.tsx';
import { place } from '../place/place.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { overlay } from './keys.ts';
import { offeredPages } from './page-list.ts';
import { SearchDialog } from './search-dialog.tsx';

/** What is around every page: the way there, who looks, and whether what is seen is live. */
export function Frame({
  session,
  children,
}: {
  readonly session: Session;
  readonly children: ComponentChildren;
}) {
  useTopics('problems');
  const content = useRef<HTMLElement>(null);
  const { path } = place.value;
  const isFirst = useRef(true);
  useEffect(() => {
    // Who hears the page is told of the new one; at the first load the browser does that.
    if (!isFirst.current) content.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="side">
        <a class="brand" href="/flow">
          <Mark />
          <span>Waygate</span>
        </a>
        <button
          type="button"
          class="search-button"
          aria-label="Search everything"
          onClick={() => {
            overlay.value = 'search';
          }}
        >
          <Icon name="search" />
          <span>Search</span>
          <kbd>/</kbd>
        </button>
        <Navigation path={path} session={session} />
        <Identity session={session} />
      </header>
      <div class="stage">
        <ConnectionBanner />
        <main id="content" ref={content} tabIndex={-1}>
          {session.namespaces?.length === 0 && !hasAnything() && (
            <p class="note nothing-yours">
              You are signed in as {session.user}, who may read none of what is shown here. Whoever
              runs this cluster can grant it: to see an object takes <code>get</code> and{' '}
              <code>list</code>.
            </p>
          )}
          {children}
        </main>
      </div>
      {overlay.value === 'search' && <SearchDialog />}
      {overlay.value === 'help' && <HelpDialog />}
    </div>
  );
}

function Navigation({ path, session }: { readonly path: string; readonly session: Session }) {
  const problems = tables.problems.rows.value;
  const isBad = problems.some(({ severity }) => severity !== 'warning');
  return (
    <nav class="pages" aria-label="Pages">
      {offeredPages(session).map((page) => (
        <a
          key={page.path}
          href={page.path}
          aria-current={isAt(path, page.path) ? 'page' : undefined}
          title={`${page.title} (g ${page.letter})`}
        >
          <Icon name={page.icon} size={20} />
          <span class="page-title">{page.title}</span>
          {page.path === '/problems' && problems.length > 0 && (
            <span class={isBad ? 'count count-bad' : 'count'}>{problems.length}</span>
          )}
        </a>
      ))}
    </nav>
  );
}

/** A commit is one of the Changes; an object has no page of the list. */
function isAt(path: string, page: string): boolean {
  if (page === '/changes' && path.startsWith('/commits/')) return true;
  if (page === '/flow' && path === '/') return true;
  return path === page || path.startsWith(`${page}/`);
}

function Identity({ session }: { readonly session: Session }) {
  const state = connection.state.value;
  return (
    <div class="identity">
      <div class="identity-cluster" title={`Waygate ${session.version}`}>
        <span class={`pulse pulse-${state}`} aria-hidden="true" />
        <span class="identity-name">{session.cluster}</span>
        <span class="identity-state">{state}</span>
      </div>
      <div class="identity-user">
        <span class="identity-name" title={scopeText(session)}>
          {session.user}
        </span>
        <button
          type="button"
          class="quiet"
          aria-label="Keyboard help"
          title="Keys (?)"
          onClick={() => {
            overlay.value = 'help';
          }}
        >
          <Icon name="help" />
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => void signOut()}
        >
          <Icon name="signOut" />
        </button>
      </div>
    </div>
  );
}

/** Rights may be granted while the page is open. */
function hasAnything(): boolean {
  return Object.values(tables).some(({ rows }) => rows.value.length > 0);
}

/** How far somebody sees. */
function scopeText({ user, namespaces }: Session): string {
  if (namespaces === undefined) return `${user} sees everything`;
  return `${user} sees ${namespaces.length === 0 ? 'nothing' : namespaces.join(', ')}`;
}

/** The gate and the way through it. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path class="mark-gate" d="M8 25V15a8 8 0 0 1 16 0v10" />
      <path class="mark-way" d="M16 25v-9m0 0-3.5 3.5M16 16l3.5 3.5" />
    </svg>
  );
}
