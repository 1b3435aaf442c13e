import { useState } from 'preact/hooks';
import type { EntityDiff, ObjectDiff } from '../../../../src/protocol/changes.ts';
import { DiffView } from '../../parts/code/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ObjectLink } from '../../parts/references.tsx';

/** So many are opened by themselves. */
const mostOpened = 4;

/** What changed in the cluster, then what changed in the gateway. */
export function Diffs(props: {
  readonly objects: readonly ObjectDiff[];
  readonly entities: readonly EntityDiff[];
}) {
  const isFew = props.objects.length + props.entities.length <= mostOpened;
  return (
    <>
      {props.objects.length > 0 && (
        <section class="diffs">
          <h2>
            In the cluster <span class="muted">{countText(props.objects)}</span>
          </h2>
          {props.objects.map((diff) => (
            <Diff
              key={`${diff.object.group} ${diff.object.kind} ${diff.object.namespace} ${diff.object.name}`}
              diff={diff}
              isOpen={isFew}
              label={`${diff.object.kind} ${diff.object.name}`}
              link={<ObjectLink object={diff.object} />}
            />
          ))}
        </section>
      )}
      {props.entities.length > 0 && (
        <section class="diffs">
          <h2>
            In the gateway <span class="muted">{countText(props.entities)}</span>
          </h2>
          {props.entities.map((diff) => (
            <Diff
              key={`${diff.kind} ${diff.name}`}
              diff={diff}
              isOpen={isFew}
              label={`${diff.kind} ${diff.name}`}
              link={
                <span class="object-link">
                  <span class="kind">{diff.kind}</span>
                  <span class="object-name mono">{diff.name}</span>
                </span>
              }
            />
          ))}
        </section>
      )}
    </>
  );
}

function Diff(props: {
  readonly diff: ObjectDiff | EntityDiff;
  readonly isOpen: boolean;
  readonly label: string;
  readonly link: preact.JSX.Element;
}) {
  const { diff } = props;
  const [isOpen, setOpen] = useState(props.isOpen);
  return (
    <div class="diff">
      <div class="diff-head">
        <button
          type="button"
          class="quiet"
          aria-expanded={isOpen}
          aria-label={`Diff of ${props.label}`}
          onClick={() => setOpen(!isOpen)}
        >
          <span class={isOpen ? 'chevron chevron-open' : 'chevron'}>
            <Icon name="fold" />
          </span>
        </button>
        <span class={`action action-${diff.action}`}>{diff.action}</span>
        {props.link}
      </div>
      {isOpen && <DiffView label={props.label} before={diff.before} after={diff.after} />}
    </div>
  );
}

/** `2 created, 1 deleted`. */
function countText(diffs: readonly { readonly action: string }[]): string {
  const counts = new Map<string, number>();
  for (const { action } of diffs) counts.set(action, (counts.get(action) ?? 0) + 1);
  return [...counts].map(([action, count]) => `${count} ${action}`).join(', ');
}
