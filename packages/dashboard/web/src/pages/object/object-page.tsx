import { useEffect } from 'preact/hooks';
import type { ObjectPage as ObjectAnswer } from '../../../../src/protocol/pages.ts';
import type { ShownObject } from '../../../../src/protocol/reference.ts';
import { tables, useTopics } from '../../live/dashboard.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { CodeView } from '../../parts/code/code.tsx';
import { HealthLabel } from '../../parts/health.tsx';
import { Empty, Failure, Loading } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ObjectLink, OriginLine } from '../../parts/references.tsx';
import { objectAddress, objectOfAddress, objectTitle, sameObject } from '../../place/addresses.ts';
import { place } from '../../place/place.ts';
import { ChangeLine } from '../changes/changes-page.tsx';
import { ObjectActions } from './object-actions.tsx';
import { Conditions, Events, FieldOwners } from './object-parts.tsx';

/** Nobody reads more of a list beside the page; the YAML has them all. */
const mostRelated = 100;

/** Everything about one object. */
export function ObjectPage() {
  const object = objectOfAddress(place.value.path);
  if (!object)
    return (
      <div class="page">
        <PageHead title="Object" />
        <Empty title="No object has this address" />
      </div>
    );
  return <OneObject key={objectAddress(object)} object={object} />;
}

function OneObject({ object }: { readonly object: ShownObject }) {
  useTopics('flow', 'changes');
  const { answer, failure, again } = useAnswer<ObjectAnswer>(objectAddress(object).slice(1));
  // It is read again when something happened to it, so that it is as live as the rest.
  const node = tables.flow.rows.value.find((one) => sameObject(one.object, object));
  const changes = tables.changes.rows.value.filter(({ objects }) =>
    objects.some((one) => sameObject(one, object)),
  ).length;
  useEffect(() => {
    if (answer || failure) again();
  }, [node, changes]);
  return (
    <div class="page">
      <p class="object-kind">
        {object.kind}
        <span class="muted">
          {object.group ? `${object.group}/${object.version}` : object.version}
        </span>
      </p>
      <PageHead title={objectTitle(object)}>
        {answer && <ObjectActions object={object} actions={answer.actions} onDone={again} />}
      </PageHead>
      {failure && <Failure failure={failure} onRetry={again} />}
      {!answer && !failure && <Loading />}
      {answer && <ObjectBody answer={answer} />}
    </div>
  );
}

function ObjectBody({ answer }: { readonly answer: ObjectAnswer }) {
  return (
    <div class="object">
      <div class="object-main">
        <p class="change-facts">
          {answer.health !== 'unknown' && <HealthLabel health={answer.health} />}
          {answer.reason && <span>{answer.reason}</span>}
          <OriginLine origin={answer.origin} />
        </p>
        <Conditions conditions={answer.conditions} />
        <section>
          <h2>YAML</h2>
          <CodeView label="YAML" text={answer.yaml} />
        </section>
        <Events events={answer.events} />
        {answer.history.length > 0 && (
          <section>
            <h2>History</h2>
            <ul class="plain history">
              {answer.history.map((row) => (
                <li key={row.id}>
                  <ChangeLine row={row} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <div class="object-side">
        <Related title="Owned by" objects={answer.owners} />
        <Related title="Owns" objects={answer.owned} />
        {answer.origin?.kustomization && (
          <Related title="Applied by" objects={[answer.origin.kustomization]} />
        )}
        <FieldOwners owners={answer.fieldOwners} />
      </div>
    </div>
  );
}

function Related({
  title,
  objects,
}: {
  readonly title: string;
  readonly objects: readonly ShownObject[];
}) {
  if (objects.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="plain">
        {objects.slice(0, mostRelated).map((object) => (
          <li key={objectAddress(object)}>
            <ObjectLink object={object} />
          </li>
        ))}
        {objects.length > mostRelated && (
          <li class="muted">and {(objects.length - mostRelated).toLocaleString('en')} more</li>
        )}
      </ul>
    </section>
  );
}
