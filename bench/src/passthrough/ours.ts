// Our proxy as one process, started by the benchmark.
import { PassthroughProxy } from '@waygate/passthrough';
import { hostOf, type Targets } from './contestant.ts';

process.once('message', async (targets: Targets) => {
  const proxy = new PassthroughProxy({
    table: {
      hosts: Object.entries(targets).map(([name, port]) => ({
        host: hostOf(name),
        backend: { name, endpoints: [{ address: '127.0.0.1', port }] },
      })),
    },
    limits: { maxConnectionsPerAddress: 50_000 },
  });
  process.send?.(await proxy.start({ host: '127.0.0.1', port: 0 }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
