const mostOpen = 2;

/** What was not looked at, and why. Many of them stand behind a line: they are rarely what one came for. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  if (notes.length <= mostOpen) return <p class="note">{notes.join('\n')}</p>;
  return (
    <details class="note">
      <summary>Not everything was looked at: {notes.length} kinds</summary>
      {notes.join('\n')}
    </details>
  );
}
