import type { Health } from '../../../src/protocol/reference.ts';

/** A dot whose shape differs too, for those who do not see the colour. */
export function HealthDot({ health }: { readonly health: Health }) {
  return <span class={`health health-${health}`} role="img" aria-label={health} title={health} />;
}

/** The dot and the word. */
export function HealthLabel({ health }: { readonly health: Health }) {
  return (
    <span class={`health-label health-ink-${health}`}>
      <span class={`health health-${health}`} aria-hidden="true" />
      {health}
    </span>
  );
}
