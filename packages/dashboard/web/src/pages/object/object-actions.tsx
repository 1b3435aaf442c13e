import { useState } from 'preact/hooks';
import type { ObjectAction } from '../../../../src/protocol/pages.ts';
import type { ShownObject } from '../../../../src/protocol/reference.ts';
import { ApiFailure } from '../../live/api.ts';
import { api } from '../../live/dashboard.ts';
import { Icon } from '../../parts/icon.tsx';

const words: Readonly<Record<ObjectAction, { title: string; done: string }>> = {
  reconcile: { title: 'Reconcile', done: 'Asked to reconcile.' },
  suspend: { title: 'Suspend', done: 'Suspended.' },
  resume: { title: 'Resume', done: 'Resumed.' },
};

/** What this person may do here; the API decides once more when they do it. */
export function ObjectActions(props: {
  readonly object: ShownObject;
  readonly actions: readonly ObjectAction[];
  readonly onDone: () => void;
}) {
  const [busy, setBusy] = useState<ObjectAction>();
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>();
  const act = async (action: ObjectAction) => {
    setBusy(action);
    try {
      await api.post('actions', { action, object: props.object });
      setSaid({ text: words[action].done, isBad: false });
      props.onDone();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setSaid({ text: error.refusal.message, isBad: true });
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <>
      <span role="status" class={said?.isBad ? 'bad' : 'muted'}>
        {said?.text}
      </span>
      {props.actions.map((action) => (
        <button
          key={action}
          type="button"
          class="button"
          disabled={busy !== undefined}
          onClick={() => void act(action)}
        >
          <Icon name={action} /> {words[action].title}
        </button>
      ))}
    </>
  );
}
