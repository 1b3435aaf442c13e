import { useEffect } from 'preact/hooks';
import type { ChangeDetail, CommitPage as CommitAnswer } from '../../../../src/protocol/changes.ts';
import { tables, useTopics } from '../../live/dashboard.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Failure, Loading } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ObjectLink, shortCommit } from '../../parts/references.tsx';
import { Ago } from '../../parts/when.tsx';
import { readPart } from '../../place/addresses.ts';
import { place } from '../../place/place.ts';
import { ChangeBody } from './change-page.tsx';
import { sumOfCommit } from './commit-sum.ts';

/** A commit, and everything that it did to the cluster and to the gateway. */
export function CommitPage() {
  const commit = readPart(place.value.path.split('/')[2] ?? '');
  useTopics('changes');
  const { answer, failure, again } = useAnswer<CommitAnswer>(
    `commits/${encodeURIComponent(commit)}`,
  );
  // What comes of it is seen as it comes.
  const known = tables.changes.rows.value.filter(({ origin }) => origin?.commit === commit).length;
  useEffect(() => {
    if (answer || failure) again();
  }, [known]);
  return (
    <div class="page">
      <a class="back" href="/changes">
        <Icon name="back" /> Changes
      </a>
      <PageHead title={`Commit ${shortCommit(commit)}`}>
        <CopyButton text={() => commit}>Copy hash</CopyButton>
      </PageHead>
      {failure && <Failure failure={failure} onRetry={again} />}
      {!answer && !failure && <Loading />}
      {answer && <CommitBody answer={answer} />}
    </div>
  );
}

function CommitBody({ answer }: { readonly answer: CommitAnswer }) {
  const [subject, ...rest] = (answer.message ?? '').split('\n');
  const sources = answer.changes.flatMap(({ change }) =>
    change.kind === 'fetch' && change.origin?.source ? [change.origin.source] : [],
  );
  // That it was fetched is said above.
  const changes = answer.changes.filter(({ change }) => change.kind !== 'fetch');
  return (
    <>
      <div class="commit-head">
        {subject && <p class="commit-subject">{subject}</p>}
        {rest.join('\n').trim() && <pre class="commit-rest">{rest.join('\n').trim()}</pre>}
        <p class="muted">
          {answer.author && <span class="commit-author">{answer.author}, </span>}
          fetched {answer.at !== undefined && <Ago at={answer.at} />}
          {sources[0] && (
            <>
              {' by '}
              <ObjectLink object={sources[0]} />
            </>
          )}
        </p>
        <CommitSum changes={changes} />
      </div>
      {changes.length === 0 && (
        <p class="muted">It has changed nothing here, as far back as is remembered.</p>
      )}
      {changes.map((detail) => (
        <section key={detail.change.id} class="commit-change">
          <h2>{detail.change.title}</h2>
          <ChangeBody detail={detail} isOfCommit />
        </section>
      ))}
    </>
  );
}

/** What it came to, before all of it. */
function CommitSum({ changes }: { readonly changes: readonly ChangeDetail[] }) {
  const sums = sumOfCommit(changes);
  if (sums.length === 0) return null;
  return (
    <p class="commit-sum">
      {sums.map(({ text, isBad }) => (
        <span key={text} class={isBad ? 'chip chip-bad' : 'chip'}>
          {text}
        </span>
      ))}
    </p>
  );
}
