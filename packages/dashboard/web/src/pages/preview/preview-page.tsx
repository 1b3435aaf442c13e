import type { SourceReferences } from '../../../../src/protocol/pages.ts';
import type { ShownObject } from '../../../../src/protocol/reference.ts';
import type { PreviewAnswer } from '../../../../src/protocol/requests.ts';
import { api, tables, useTopics } from '../../live/dashboard.ts';
import { useAnswer, useAsked } from '../../live/use-answer.ts';
import { Notes } from '../../parts/notes.tsx';
import { Arch, Empty, Failure, Loading, WhenRead } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { CommitLink, ObjectLink } from '../../parts/references.tsx';
import { objectTitle } from '../../place/addresses.ts';
import { place, setQuery } from '../../place/place.ts';
import { Diffs } from '../changes/diffs.tsx';
import { ProblemCard } from '../problems/problem-card.tsx';
import { ReferenceField } from './reference-field.tsx';

/** What another branch, tag or pull request would change. */
export function PreviewPage() {
  useTopics('flow');
  return (
    <div class="page">
      <WhenRead title="Preview" table={tables.flow}>
        {() => <Preview />}
      </WhenRead>
    </div>
  );
}

function Preview() {
  const sources = tables.flow.rows.value
    .flatMap(({ stage, object }) => (stage === 'source' && object ? [object] : []))
    .filter(({ kind }) => kind === 'GitRepository')
    .toSorted((one, other) => objectTitle(one).localeCompare(objectTitle(other)));
  const { query } = place.value;
  const source = sources.find((one) => objectTitle(one) === query.get('source')) ?? sources[0];
  const ref = query.get('ref') ?? '';
  if (!source)
    return (
      <>
        <PageHead title="Preview" />
        <Empty title="No source to preview">
          A GitRepository's branches, tags and pull requests can be looked at here before they are
          merged.
        </Empty>
      </>
    );
  return (
    <>
      <PageHead title="Preview" aside="what it would change; nothing is written" />
      <PreviewForm sources={sources} source={source} reference={ref} />
      {ref ? <PreviewResult source={objectTitle(source)} reference={ref} /> : <PreviewHint />}
    </>
  );
}

function PreviewForm(props: {
  readonly sources: readonly ShownObject[];
  readonly source: ShownObject;
  readonly reference: string;
}) {
  const title = objectTitle(props.source);
  const { answer, failure, again } = useAnswer<SourceReferences>(
    `refs?${new URLSearchParams({ source: title })}`,
  );
  return (
    <>
      <div class="preview-form">
        <label for="source">Source</label>
        <select
          id="source"
          value={title}
          onChange={(event) => setQuery({ source: event.currentTarget.value, ref: '' })}
        >
          {props.sources.map((one) => (
            <option key={objectTitle(one)} value={objectTitle(one)}>
              {objectTitle(one)}
            </option>
          ))}
        </select>
        <label for="reference">Branch, tag, pull request or commit</label>
        <ReferenceField
          key={`${title} ${props.reference}`}
          references={answer}
          value={props.reference}
          onChoose={(ref) => setQuery({ source: title, ref })}
        />
      </div>
      {failure && <Failure failure={failure} onRetry={again} />}
    </>
  );
}

function PreviewResult({
  source,
  reference,
}: {
  readonly source: string;
  readonly reference: string;
}) {
  const { answer, failure, again } = useAsked<PreviewAnswer>(`${source} ${reference}`, (over) =>
    api.post('preview', { source, ref: reference }, over),
  );
  if (failure) return <Failure failure={failure} onRetry={again} />;
  if (!answer) return <Loading />;
  const { objects, entities, problems, kustomizations, notes = [] } = answer;
  const isSame = objects.length + entities.length + problems.length === 0;
  return (
    <div class="preview-result">
      <p class="change-facts">
        <strong class="mono">{answer.ref}</strong>
        {answer.commit && <CommitLink commit={answer.commit} />}
        {kustomizations.length > 0 && <span class="muted">as built by</span>}
        {kustomizations.map((one) => (
          <ObjectLink key={objectTitle(one)} object={one} />
        ))}
      </p>
      {problems.length > 0 && (
        <section class="problems preview-problems">
          <h2>What would be wrong then, and is not now</h2>
          {problems.map((row) => (
            <ProblemCard key={row.id} row={row} isNow={false} />
          ))}
        </section>
      )}
      {isSame && kustomizations.length > 0 && (
        <Empty title="It would change nothing">
          The cluster and the gateway are as this reference would have them.
        </Empty>
      )}
      {kustomizations.length === 0 && (
        <Empty title="Nothing is made from this source">
          No Kustomization that you may see applies it, so there is nothing to compare.
        </Empty>
      )}
      <Diffs objects={objects} entities={entities} />
      <Notes notes={notes} />
    </div>
  );
}

function PreviewHint() {
  return (
    <div class="empty">
      <Arch />
      <h2>Look before you merge</h2>
      <p>
        Choose a reference: it is built as a Kustomization would build it, compared with what the
        cluster has, and translated to what the gateway would get.
      </p>
    </div>
  );
}
