import { signal } from '@preact/signals';

const query = matchMedia('(max-width: 760px)');
const isNarrow = signal(query.matches);
query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});

/** A phone, or a window as narrow as one. The same width as in the style sheets. */
export function useIsNarrow(): boolean {
  return isNarrow.value;
}
