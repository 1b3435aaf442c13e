// The process of one worker of a PassthroughCluster. It does what the primary says, and ends with it.
import { PassthroughProxy } from './proxy.ts';
import type { FromWorker, ToWorker } from './worker-protocol.ts';

let proxy: PassthroughProxy | undefined;

process.on('message', (message: ToWorker) => {
  void obey(message);
});
process.on('disconnect', () => process.exit(0));
// The terminal's Ctrl-C reaches every process of the group: the primary decides when to drain.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
say({ type: 'ready' });

async function obey(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'start': {
      const onConnection = message.reportConnections
        ? { onConnection: (summary: Parameters<typeof report>[0]) => report(summary) }
        : {};
      proxy = new PassthroughProxy({ ...message.options, ...onConnection });
      try {
        say({ type: 'listening', address: await proxy.start(message.listen) });
      } catch (error) {
        const { message: text, code } = error as NodeJS.ErrnoException;
        say({ type: 'failed', message: text, code });
      }
      return;
    }
    case 'update':
      proxy?.update(message.table);
      answer(message.id);
      return;
    case 'counters':
      answer(message.id);
      return;
    case 'stop':
      await proxy?.stop({ drainMs: message.drainMs });
      process.disconnect();
  }
}

function answer(id: number): void {
  if (proxy !== undefined) say({ type: 'answer', id, counters: proxy.counters });
}

function report(summary: (FromWorker & { type: 'connection' })['summary']): void {
  say({ type: 'connection', summary });
}

function say(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}
