import type { Health } from '../../../src/protocol/reference.ts';

/** Worst first, as lists are sorted and groups are coloured. */
export const healthOrder: readonly Health[] = [
  'degraded',
  'progressing',
  'unknown',
  'suspended',
  'healthy',
];

export function worstHealth(healths: Iterable<Health>): Health {
  let worst = healthOrder.length - 1;
  for (const health of healths) worst = Math.min(worst, healthOrder.indexOf(health));
  return healthOrder[worst] ?? 'healthy';
}

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
