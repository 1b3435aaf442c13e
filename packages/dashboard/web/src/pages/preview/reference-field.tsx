import { useState } from 'preact/hooks';
import type { SourceReferences } from '../../../../src/protocol/pages.ts';

const mostButtons = 8;

/** What there is to choose from, and a field for what is not listed. */
export function ReferenceField(props: {
  readonly references: SourceReferences | undefined;
  readonly value: string;
  readonly onChoose: (reference: string) => void;
}) {
  const [typed, setTyped] = useState(props.value);
  const groups = [
    { title: 'Pull requests', values: props.references?.pulls ?? [] },
    { title: 'Branches', values: props.references?.branches ?? [] },
    { title: 'Tags', values: props.references?.tags ?? [] },
  ].filter(({ values }) => values.length > 0);
  return (
    <form
      class="reference"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') props.onChoose(typed.trim());
      }}
    >
      <div class="reference-line">
        <input
          id="reference"
          type="text"
          class="input mono"
          list="references"
          placeholder="main"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button type="submit" class="button button-main">
          Preview
        </button>
      </div>
      <datalist id="references">
        {groups.flatMap(({ values }) =>
          values.map((value) => <option key={value} value={value} />),
        )}
      </datalist>
      {groups.map(({ title, values }) => (
        <div key={title} class="reference-group">
          <span class="muted">{title}</span>
          {values.slice(0, mostButtons).map((value) => (
            <button
              key={value}
              type="button"
              class="chip chip-button mono"
              aria-pressed={value === props.value}
              onClick={() => props.onChoose(value)}
            >
              {shortReference(value)}
            </button>
          ))}
          {values.length > mostButtons && <span class="muted">+{values.length - mostButtons}</span>}
        </div>
      ))}
    </form>
  );
}

/** `refs/pull/7/head` is #7 to people. */
function shortReference(reference: string): string {
  const [, number] = /^refs\/(?:pull|merge-requests)\/(\d+)\/head$/.exec(reference) ?? [];
  return number === undefined ? reference : `#${number}`;
}
