// Runs before each test file of `npm run mutants`: writes down which mutants the file reaches.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const { WAYGATE_REACHED: path } = process.env;

if (path !== undefined) {
  const reached = new Set();
  const startedAt = performance.now();
  globalThis.__mutantReached = (mutant) => reached.add(mutant);
  afterAll(() => {
    const file = expect.getState().testPath;
    const ms = performance.now() - startedAt;
    appendFileSync(path, `${JSON.stringify({ file, ms, reached: [...reached] })}\n`);
  });
}
