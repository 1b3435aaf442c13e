import { currentSession } from '../live/dashboard.ts';
import { Dialog } from './dialog.tsx';
import { offeredPages } from './page-list.ts';

const elsewhere = [
  { keys: ['/'], does: 'search everything' },
  { keys: ['?'], does: 'this list' },
  { keys: ['↑', '↓'], does: 'walk a list or a column of the flow' },
  { keys: ['←', '→'], does: 'in the flow: towards the commit, towards the target' },
  { keys: ['Enter'], does: 'open what is marked; in the flow: follow it' },
  { keys: ['Space'], does: 'in the flow: fold or unfold a group' },
  { keys: ['Esc'], does: 'close, or stop following' },
];

/** Every key there is. */
export function HelpDialog() {
  return (
    <Dialog label="Keys">
      <div class="help">
        <h2>Keys</h2>
        <dl>
          {offeredPages(currentSession()).map(({ letter, title }) => (
            <div key={letter}>
              <dt>
                <kbd>g</kbd> <kbd>{letter}</kbd>
              </dt>
              <dd>{title}</dd>
            </div>
          ))}
          {elsewhere.map(({ keys, does }) => (
            <div key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
