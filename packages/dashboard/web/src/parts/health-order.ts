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
  return healthOrder[Math.max(0, worst)] ?? 'healthy';
}
