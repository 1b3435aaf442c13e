import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds, type SeedRange, type WorkerMessage } from './seed-runner.ts';

// A thread of its own: its share of the seeds, on a core of its own.

const { range, mostFailures } = workerData as { range: SeedRange; mostFailures: number };
// Thousands of errors are made to be thrown at the programs; nobody reads where.
Error.stackTraceLimit = 0;
const say = (message: WorkerMessage) => parentPort?.postMessage(message);
say({ outcome: await runSeeds(range, mostFailures, (seeds) => say({ seeds })) });
