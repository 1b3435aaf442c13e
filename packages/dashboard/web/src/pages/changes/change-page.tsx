import type { ChangeDetail } from '../../../../src/protocol/changes.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { Icon } from '../../parts/icon.tsx';
import { Failure, Loading } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { OriginLine } from '../../parts/references.tsx';
import { Ago } from '../../parts/when.tsx';
import { readPart } from '../../place/addresses.ts';
import { place } from '../../place/place.ts';
import { Diffs } from './diffs.tsx';

/** One change, with what it changed. */
export function ChangePage() {
  const id = readPart(place.value.path.split('/')[2] ?? '');
  const { answer, failure, again } = useAnswer<ChangeDetail>(`changes/${encodeURIComponent(id)}`);
  return (
    <div class="page">
      <a class="back" href="/changes">
        <Icon name="back" /> Changes
      </a>
      <PageHead title={answer?.change.title ?? 'Change'} />
      {failure && <Failure failure={failure} onRetry={again} />}
      {!answer && !failure && <Loading />}
      {answer && <ChangeBody detail={answer} />}
    </div>
  );
}

/** Without its title: a commit's page has several below each other. */
export function ChangeBody({
  detail,
  isOfCommit = false,
}: {
  readonly detail: ChangeDetail;
  /** Who and which commit is said above all of them. */
  readonly isOfCommit?: boolean;
}) {
  const { change } = detail;
  const { commit: _commit, revision: _revision, ...place } = change.origin ?? {};
  return (
    <div class="change-body">
      <p class="change-facts">
        <span class="chip">{change.kind}</span>
        <Ago at={change.at} />
        {change.author && !isOfCommit && <span>{change.author}</span>}
        <OriginLine origin={isOfCommit ? place : change.origin} />
      </p>
      {detail.message && (
        <p class={change.kind === 'error' ? 'note note-bad' : 'note'}>{detail.message}</p>
      )}
      <Diffs objects={detail.objects} entities={detail.entities} />
      {detail.objects.length + detail.entities.length === 0 && !detail.message && (
        <p class="muted">Nothing that could be compared.</p>
      )}
    </div>
  );
}
