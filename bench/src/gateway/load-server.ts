import { Gateway } from '@waygate/gateway';

/** The gateway of the load test, in a process of its own, with its workers. */
process.once('message', ({ workers }: { workers: number }) => void serve(workers));

async function serve(workers: number): Promise<void> {
  const gateway = new Gateway({
    mode: 'database',
    workers,
    proxy: [{ host: '127.0.0.1', port: 0 }],
    log: {
      warn: (message, details) => console.error(message, details),
      error: (message, details) => console.error(message, details),
    },
  });
  const { proxy, admin } = await gateway.start();
  process.send?.({ proxy: proxy[0]?.port, admin: admin?.port });
  process.once('disconnect', () => void gateway.stop());
}
