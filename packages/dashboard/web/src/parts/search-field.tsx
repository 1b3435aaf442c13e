import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Filters as one types. Escape empties it. */
export function SearchField(props: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
}) {
  const id = useId();
  return (
    <div class="field">
      <Icon name="search" />
      <input
        type="text"
        aria-label={props.label}
        aria-describedby={props.hint ? id : undefined}
        title={props.hint}
        placeholder={props.placeholder}
        autocomplete="off"
        spellcheck={false}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && props.value !== '') {
            event.preventDefault();
            props.onInput('');
          }
        }}
      />
      {props.value !== '' && (
        <button type="button" class="quiet" aria-label="Clear" onClick={() => props.onInput('')}>
          <Icon name="close" />
        </button>
      )}
      {props.hint && (
        <span id={id} class="unseen">
          {props.hint}
        </span>
      )}
    </div>
  );
}
