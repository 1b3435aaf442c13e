import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../live/dashboard.ts';
import { Icon } from '../parts/icon.tsx';

/** A moment's loss is nobody's business. */
const graceMs = 1_200;
const isShown = signal(false);

/** Says that what is seen may be old, for as long as that is so. */
export function ConnectionBanner() {
  const state = connection.state.value;
  useEffect(() => {
    if (state !== 'lost') {
      if (state === 'live') isShown.value = false;
      return;
    }
    const timer = setTimeout(() => {
      isShown.value = true;
    }, graceMs);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div role="status">
      {isShown.value && (
        <div class="banner">
          <Icon name="lost" size={20} />
          <span>
            <strong>Connection lost.</strong> What you see is as it was; it is tried again by
            itself.
          </span>
          <button type="button" class="button" onClick={() => connection.retryNow()}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
