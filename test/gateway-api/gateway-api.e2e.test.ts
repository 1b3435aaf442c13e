import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { workspace } from '../real/processes.ts';
import { findSuite } from './conformance-suite.ts';
import { readResult, resultTable, type SuiteResult } from './suite-result.ts';
import { SuiteCluster } from './suite-run.ts';

/** The oldest and the newest release that are looked at; the suite itself is as it was published. */
const versions = ['1.3.0', '1.6.3'];
const page = join(workspace, 'docs', 'compatibility', 'gateway-api.md');
const suiteMs = 1_800_000;

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
          '--conformance-profiles=GATEWAY-HTTP,GATEWAY-GRPC,GATEWAY-TLS',
          '--allow-crds-mismatch',
          ...(version === '1.3.0'
            ? ['--exempt-features=GatewayStaticAddresses']
            : ['--usable-address=127.64.200.1', '--unusable-address=192.0.2.1']),
        ]);
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
    if (results.length !== versions.length) return;
    const text = readFileSync(page, 'utf8');
    const table = resultTable(results);
    writeFileSync(
      page,
      text.replace(/(<!-- results -->\n)[\s\S]*(\n<!-- \/results -->)/, `$1${table}$2`),
    );
  });
});
