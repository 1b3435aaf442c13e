import type {
  MigratedIngress,
  MigratedName,
  MigrationPage as MigrationAnswer,
  MigrationVerdict,
} from '../../../../src/protocol/migration.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { Choices } from '../../parts/choices.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Notes } from '../../parts/notes.tsx';
import { Empty, Failure, Loading } from '../../parts/notices.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ObjectLink } from '../../parts/references.tsx';
import { place, setQuery } from '../../place/place.ts';

const verdicts: Readonly<Record<MigrationVerdict, { title: string; says: string }>> = {
  cannot: { title: 'Cannot be served', says: 'Change what is named first.' },
  but: { title: 'Same but for', says: 'They answer as before, but for what is named.' },
  same: { title: 'Same', says: 'They answer as before.' },
};
const order: readonly MigrationVerdict[] = ['cannot', 'but', 'same'];
/** A list of so many is read; a longer one is searched. */
const mostShown = 200;

/** What becomes of the Ingresses of ingress-nginx, before anything is done. */
export function MigrationPage() {
  const { answer, failure, again } = useAnswer<MigrationAnswer>('migration');
  return (
    <div class="page">
      <PageHead title="Migrate" aside="from ingress-nginx; nothing is written">
        {answer && (
          <button type="button" class="button" onClick={again}>
            <Icon name="reconcile" /> Ask again
          </button>
        )}
      </PageHead>
      {failure && <Failure failure={failure} onRetry={again} />}
      {!answer && !failure && <Loading />}
      {answer && <Report answer={answer} />}
    </div>
  );
}

function Report({ answer }: { readonly answer: MigrationAnswer }) {
  const chosen = order.find((verdict) => verdict === place.value.query.get('verdict'));
  if (answer.ingresses.length === 0)
    return (
      <>
        <Notes notes={answer.notes} />
        <Empty title="Nothing to migrate">
          No Ingress of ingress-nginx is here, or none that you may see.
        </Empty>
      </>
    );
  const count = (verdict: MigrationVerdict) =>
    answer.ingresses.filter((one) => one.verdict === verdict).length;
  const choices = [
    { value: '', title: `All ${answer.ingresses.length.toLocaleString('en')}` },
    ...order.map((verdict) => ({
      value: verdict as string,
      title: `${verdicts[verdict].title} ${count(verdict).toLocaleString('en')}`,
    })),
  ];
  return (
    <>
      <Notes notes={answer.notes} />
      <Choices
        label="Verdict"
        choices={choices}
        value={chosen ?? ''}
        onChoose={(verdict) => setQuery({ verdict })}
      />
      {order
        .filter((verdict) => chosen === undefined || chosen === verdict)
        .map((verdict) => (
          <Ingresses
            key={verdict}
            verdict={verdict}
            ingresses={answer.ingresses.filter((one) => one.verdict === verdict)}
          />
        ))}
      <Names title="Annotations in use" names={answer.annotations} />
      <Names title="Keys of its ConfigMap" names={answer.settings} />
    </>
  );
}

function Ingresses({
  verdict,
  ingresses,
}: {
  readonly verdict: MigrationVerdict;
  readonly ingresses: readonly MigratedIngress[];
}) {
  if (ingresses.length === 0) return null;
  const { title, says } = verdicts[verdict];
  return (
    <section class={`migrated migrated-${verdict}`}>
      <h2>
        {title} <span class="problems-says">{says}</span>
      </h2>
      <ul class="plain">
        {ingresses.slice(0, mostShown).map(({ object, differences, notes }) => (
          <li key={`${object.namespace}/${object.name}`}>
            <ObjectLink object={object} withKind={false} />
            <ul class="plain migrated-why">
              {differences.map((one) => (
                <li key={one}>{one}</li>
              ))}
              {notes.map((one) => (
                <li key={one} class="muted">
                  As in ingress-nginx: {one}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {ingresses.length > mostShown && (
        <p class="muted">
          and {(ingresses.length - mostShown).toLocaleString('en')} more:{' '}
          <code>waygate migrate --from ingress-nginx</code> names all of them
        </p>
      )}
    </section>
  );
}

function Names({
  title,
  names,
}: {
  readonly title: string;
  readonly names: readonly MigratedName[];
}) {
  if (names.length === 0) return null;
  return (
    <section class="migrated-names">
      <h2>{title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Used</th>
            <th scope="col">Here</th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {names.map(({ name, count, support, note }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{count.toLocaleString('en')}</td>
              <td class={`support support-${support.replace(' ', '-')}`}>{support}</td>
              <td>{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
