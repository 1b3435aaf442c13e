import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildSync } from './build.ts';
import { memoryFileSystem } from './file-system/memory.ts';
import { randomEstate } from './testing/random-estate.ts';
import { randomFeatures } from './testing/random-features.ts';
import { randomKustomization } from './testing/random-kustomization.ts';

const SEEDS = Number(process.env.WAYGATE_SEEDS ?? 40);
const FIRST_SEED = Number(process.env.WAYGATE_FIRST_SEED ?? 1);

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What the real program prints, or undefined when it refuses. */
function original(files: Record<string, string>): string | undefined {
  const root = mkdtempSync(join(tmpdir(), 'waygate-kustomize-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const result = spawnSync('kubectl', ['kustomize', join(root, 'top')], { encoding: 'utf8' });
    // A program of a distribution does not know its own version.
    return result.status === 0
      ? result.stdout.replaceAll('kustomize-(devel)', 'kustomize-v5.8.1')
      : undefined;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe.runIf(hasKubectl())('beside the real kustomize', () => {
  const seeds = Array.from({ length: SEEDS }, (_each, index) => FIRST_SEED + index);

  it.each(seeds)('prints the same for seed %i', (seed) => {
    compare(randomKustomization(seed));
  });

  // Whole estates, most of which build: many features in several layers.
  it.each(seeds)('prints the same for the estate of seed %i', (seed) => {
    compare(randomEstate(seed));
  });

  // Features in all their forms, in YAML of all styles: about half of these are refused by both.
  it.each(seeds)('prints or refuses the same for features of seed %i', (seed) => {
    compare(randomFeatures(seed + 2002));
  });
});

function compare(files: Record<string, string>): void {
  const expected = original(files);
  const result = buildSync(memoryFileSystem(files), '/top');
  if (expected === undefined) {
    expect(result.isOk, JSON.stringify(files, null, 1)).toBe(false);
  } else {
    const problem = result.problems.find((each) => each.severity === 'error');
    expect(problem?.message ?? result.toYaml(), JSON.stringify(files, null, 1)).toBe(expected);
  }
}
