import { useMemo, useState } from 'preact/hooks';
import { currentSession, tables, useTopics } from '../live/dashboard.ts';
import { HealthDot } from '../parts/health.tsx';
import { Icon } from '../parts/icon.tsx';
import { go } from '../place/place.ts';
import { Dialog } from './dialog.tsx';
import { overlay } from './keys.ts';
import { offeredPages } from './page-list.ts';
import { type Finding, findEverywhere } from './search.ts';

/** Searches pages, routes, objects, problems, changes and commits at once. */
export function SearchDialog() {
  useTopics('routes', 'flow', 'problems', 'changes');
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const session = currentSession();
  const pages = useMemo(() => offeredPages(session), [session]);
  const routes = tables.routes.rows.value;
  const flow = tables.flow.rows.value;
  const problems = tables.problems.rows.value;
  const changes = tables.changes.rows.value;
  const found = useMemo(
    () => findEverywhere(words, { pages, routes, flow, problems, changes }),
    [words, pages, routes, flow, problems, changes],
  );
  const open = (finding: Finding | undefined) => {
    if (!finding) return;
    overlay.value = undefined;
    go(finding.address);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = (at + step + found.length) % Math.max(1, found.length);
      setAt(next);
      document.getElementById(`found-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(found[at]);
    }
  };
  return (
    <Dialog label="Search everything">
      <div class="search">
        <div class="search-field">
          <Icon name="search" size={20} />
          <input
            type="text"
            role="combobox"
            aria-label="Search routes, objects, problems, changes"
            aria-expanded={found.length > 0}
            aria-controls="found"
            aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
            placeholder="A host, a path, a name, a commit, or a whole URL to trace"
            autocomplete="off"
            spellcheck={false}
            value={words}
            onInput={(event) => {
              setWords(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div id="found" class="found" role="listbox" aria-label="Found">
          {found.map((finding, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={finding.key}
              id={`found-${index}`}
              class="finding"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(finding)}
            >
              <span class="finding-mark">
                {finding.health ? (
                  <HealthDot health={finding.health} />
                ) : (
                  <Icon name={finding.icon} />
                )}
              </span>
              <span class="finding-title">{finding.title}</span>
              <span class="finding-detail">{finding.detail}</span>
            </div>
          ))}
        </div>
        {found.length === 0 && <p class="found-none">Nothing is called that.</p>}
      </div>
    </Dialog>
  );
}
