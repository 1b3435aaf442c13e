/** One of a few, all seen at once. */
export function Choices<Value extends string>(props: {
  readonly label: string;
  readonly choices: readonly { readonly value: Value; readonly title: string }[];
  readonly value: string;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a line everywhere
    <div class="choices" role="group" aria-label={props.label}>
      {props.choices.map(({ value, title }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChoose(value)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
