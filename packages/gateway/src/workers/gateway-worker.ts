// The process of one worker of a gateway. It does what the primary says, and ends with it.
import { WorkerProcess } from './worker-process.ts';

const worker = new WorkerProcess((message) => process.send?.(message), process.exit);

process.on('message', (message) => worker.hear(message as Parameters<WorkerProcess['hear']>[0]));
// The primary is gone: nobody would ever end this process.
process.on('disconnect', () => process.exit(0));
// The terminal's Ctrl-C reaches every process of the group: the primary decides when to drain.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
worker.announce();
