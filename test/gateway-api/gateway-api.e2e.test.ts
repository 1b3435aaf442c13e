import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { workspace } from '../real/processes.ts';
import { findSuite } from './conformance-suite.ts';
import { readResult, type SuiteResult, withResult } from './suite-result.ts';
import { SuiteCluster } from './suite-run.ts';

/** The oldest and the newest release that are looked at; the suite itself is as it was published. */
const versions = ['1.3.0', '1.7.0'];
const kept = join(workspace, 'docs', 'compatibility', 'gateway-api.json');
const profiles = ['HTTP', 'GRPC', 'TLS'].map((name) => `GATEWAY-${name}`);
/** Of releases from 1.5 on. */
const streamProfiles = ['TCP', 'UDP'].map((name) => `GATEWAY-${name}`);
const suiteMs = 1_800_000;
/** All pages that are made from code are made anew, which compiles everything. */
const docsMs = 600_000;
/** One test of the suite by its name, or several with | between, and a directory for what the suite and `up` wrote. */
const only = process.env.WAYGATE_SUITE_TEST;
const keep = process.env.WAYGATE_SUITE_OUTPUT;

/** Takes minutes of Go and of both cores: on request only. */
describe.skipIf(process.env.WAYGATE_GO_INSTALL !== '1')('the suite of the Gateway API', () => {
  const results: SuiteResult[] = [];

  test.each(versions)(
    '%s passes as far as its features are claimed',
    { timeout: suiteMs },
    async (version) => {
      const suite = await findSuite(version);
      if (typeof suite === 'string') throw new Error(suite);
      const cluster = await SuiteCluster.start(suite, ['--gateway-addresses', '127.64.0.0/16']);
      try {
        const output = await cluster.run(suite, [
          '--gateway-class=kong',
          `--conformance-profiles=${(version === '1.3.0' ? profiles : [...profiles, ...streamProfiles]).join(',')}`,
          '--allow-crds-mismatch',
          ...(version === '1.3.0'
            ? ['--exempt-features=GatewayStaticAddresses']
            : ['--usable-address=127.64.200.1', '--unusable-address=192.0.2.1']),
          ...(only === undefined ? [] : [`-test.run=^TestConformance$/^(${only})$`]),
        ]);
        if (keep !== undefined) {
          writeFileSync(join(keep, `gateway-api-${version}.txt`), output);
          writeFileSync(join(keep, `gateway-api-${version}-up.txt`), cluster.log);
        }
        const result = readResult(version, output);
        results.push(result);
        expect(result.passed.length, output.slice(-5_000)).toBeGreaterThan(0);
        expect(result.failed).toEqual([]);
      } finally {
        await cluster.stop();
      }
    },
  );

  afterAll(() => {
    if (results.length === 0) return;
    const before = JSON.parse(readFileSync(kept, 'utf8')) as SuiteResult[];
    const known = (wanted: string) => before.find(({ version }) => version === wanted);
    const all = versions.flatMap((version) => {
      const result = results.find((one) => one.version === version);
      // One test by itself changes what is known of it alone.
      return (
        (result && withResult(only === undefined ? undefined : known(version), result)) ??
        known(version) ??
        []
      );
    });
    writeFileSync(kept, `${JSON.stringify(all, null, 2)}\n`);
    // In the shape that the checks of the repository ask for.
    const biome = join(workspace, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    spawnSync(process.execPath, [biome, 'format', '--write', kept]);
    spawnSync(process.execPath, [join(workspace, 'scripts', 'docs.mjs')]);
  }, docsMs);
});
