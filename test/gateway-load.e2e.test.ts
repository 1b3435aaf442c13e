import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Report {
  readonly results: readonly {
    readonly rows: readonly { readonly name: string; readonly ours: number }[];
  }[];
}

/** The load test itself, for a few seconds: `npm run bench -- gateway-load` takes ten minutes. */
test('no request fails that can be retried while the configuration changes and targets die', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'waygate-load-'));
  try {
    const main = fileURLToPath(new URL('../bench/dist/main.js', import.meta.url));
    const file = join(directory, 'rows.json');
    const child = spawn(process.execPath, [main, 'gateway-load', '--quick', '--json', file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    const report = JSON.parse(await readFile(file, 'utf8')) as Report;
    const rows = report.results[0]?.rows ?? [];
    expect(rows.find((row) => row.name.startsWith('requests that failed'))?.ours).toBe(0);
    expect(rows.find((row) => row.name === 'requests')?.ours).toBeGreaterThan(50);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
