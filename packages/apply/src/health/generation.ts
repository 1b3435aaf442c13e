import type { KubeObject } from '@waygate/schema';
import { type HealthResult, inProgress } from './health-result.ts';
import { fieldAt } from './object-fields.ts';

/** An object whose controller has not looked at its newest generation is at work. */
export function generationHealth(object: KubeObject): HealthResult | undefined {
  const generation = fieldAt(object, 'metadata', 'generation');
  const observed = fieldAt(object, 'status', 'observedGeneration');
  if (typeof generation !== 'number' || typeof observed !== 'number') return undefined;
  if (generation === observed) return undefined;
  return inProgress(
    'LatestGenerationNotObserved',
    `${object.kind} generation is ${generation}, but latest observed generation is ${observed}`,
  );
}
