import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TurnMonitor } from './turn-monitor.ts';

/** What one contestant needed. */
export interface Measurement {
  readonly syncMs: number;
  readonly cpuMs: number;
  readonly longestStallMs: number;
  readonly longestTurnCpuMs: number;
  readonly peakRssMb: number;
  readonly heapMb: number;
  readonly burstPerSecond: number;
  readonly burstCpuMs: number;
  readonly steadyCpuMs: number;
}

/** A client under test. Both promises resolve when everything has been handled. */
export interface ContestantRun {
  sync(): Promise<void>;
  /** Counts changes that were handled. */
  changed: number;
  stop(): Promise<void>;
}

/** Runs a contestant in this process through sync, burst and steady changes. */
export async function measure(
  run: ContestantRun,
  url: string,
  burst: number,
  steadyPerSecond: number,
): Promise<Measurement> {
  // A timer that is set in the turn that loaded the modules would count their loading as a stall.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const turns = new TurnMonitor();
  turns.start();
  const cpu = process.cpuUsage();
  const started = performance.now();
  await run.sync();
  const syncMs = performance.now() - started;
  const used = process.cpuUsage(cpu);
  const peakRssMb = process.resourceUsage().maxRSS / 1_024;
  await new Promise((resolve) => setTimeout(resolve, 50));
  const longestTurn = turns.stop();
  const heapMb = heapAfterCollection();
  const beforeBurst = process.cpuUsage();
  const burstMs = await changes(run, url, burst, 0);
  const burstCpu = process.cpuUsage(beforeBurst);
  const beforeSteady = process.cpuUsage();
  await changes(run, url, steadyPerSecond * 3, steadyPerSecond);
  const steady = process.cpuUsage(beforeSteady);
  await run.stop();
  return {
    syncMs,
    cpuMs: (used.user + used.system) / 1_000,
    longestStallMs: longestTurn.stallMs,
    longestTurnCpuMs: longestTurn.cpuMs,
    peakRssMb,
    heapMb,
    burstPerSecond: burst / (burstMs / 1_000),
    burstCpuMs: (burstCpu.user + burstCpu.system) / burst,
    steadyCpuMs: (steady.user + steady.system) / 1_000 / 3,
  };
}

async function changes(
  run: ContestantRun,
  url: string,
  count: number,
  perSecond: number,
): Promise<number> {
  const target = run.changed + count;
  const started = performance.now();
  void fetch(`${url}/changes?count=${count}&perSecond=${perSecond}`);
  while (run.changed < target) await new Promise((resolve) => setTimeout(resolve, 2));
  return performance.now() - started;
}

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
