import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { findSuite } from './conformance-suite.ts';
import { SuiteCluster } from './suite-run.ts';

const version = process.env.GWV ?? '1.6.3';
test('suite', { timeout: 3_000_000 }, async () => {
  const suite = await findSuite(version);
  if (typeof suite === 'string') throw new Error(suite);
  const up = (process.env.GWUP ?? '-v --http-port 80 --https-port 443').split(' ');
  const cluster = await SuiteCluster.start(suite, up);
  try {
    const args = (process.env.GWARGS ?? '').split(' ').filter((one) => one !== '');
    const out = await cluster.run(suite, [
      '--gateway-class=kong',
      '--allow-crds-mismatch',
      ...args,
    ]);
    const name = process.env.GWOUT ?? '/tmp/gwapi/out';
    writeFileSync(`${name}.txt`, out);
    writeFileSync(`${name}.up.txt`, cluster.log);
  } finally {
    await cluster.stop();
  }
});
