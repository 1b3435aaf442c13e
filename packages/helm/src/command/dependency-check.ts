import type { Chart } from '../chart/chart.ts';
import { updateDependencies } from './dependency-update.ts';
import type { ParsedFlags } from './flag-set.ts';
import type { CommandWorld } from './world.ts';

/** The dependencies that are declared and not in `charts/`, in Helm's words; undefined when all are there. */
export function missingDependencies({ metadata, dependencies }: Chart): string | undefined {
  const missing = (metadata.dependencies ?? [])
    .map(({ name }) => name)
    .filter((name) => !dependencies.some((child) => child.metadata.name === name));
  if (missing.length === 0) return undefined;
  return `found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`;
}

/** Fetches what is missing, as `--dependency-update` asks. */
export async function updateMissing(
  path: string,
  flags: ParsedFlags,
  world: CommandWorld,
): Promise<void> {
  await updateDependencies({ chartPath: path, shownPath: path, flags, world });
}
