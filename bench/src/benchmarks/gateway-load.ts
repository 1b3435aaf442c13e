import type { Benchmark, Row } from '../benchmark.ts';
import { ChangingGateway } from '../gateway/changing-gateway.ts';
import { MortalBackends } from '../gateway/mortal-backends.ts';
import { SteadyLoad } from '../gateway/steady-load.ts';
import { median } from '../median.ts';

const workers = 2;
const connections = 32;
const backendCount = 4;
const changeEveryMs = 100;
const deathEveryMs = 300;

const head = 'Host: load.test\r\n';
/** All may be sent again: idempotent, and with a body that fits into what is held. */
const requests = [
  `GET /load/a HTTP/1.1\r\n${head}\r\n`,
  `GET /load/b?c=d HTTP/1.1\r\n${head}Accept: */*\r\n\r\n`,
  `PUT /load/e HTTP/1.1\r\n${head}Content-Length: 10\r\n\r\n0123456789`,
  `DELETE /load/f HTTP/1.1\r\n${head}\r\n`,
];

/**
 * At saturation, while the configuration changes and targets die: whatever can be sent again must be
 * answered with 200, and memory must stay where it is. `WAYGATE_LOAD_SECONDS` sets another duration.
 */
export const benchmark: Benchmark = {
  name: 'gateway-load',
  title: 'The embedded gateway under load, with changes every 100 ms and targets that die',
  async run({ quick, log }) {
    const asked = Number(process.env.WAYGATE_LOAD_SECONDS ?? 0);
    const seconds = asked > 0 ? asked : quick ? 4 : 600;
    const backends = new MortalBackends(backendCount);
    const targets = await backends.start();
    const gateway = await ChangingGateway.start(workers);
    const abort = new AbortController();
    const memory: number[] = [];
    const timer = setInterval(() => {
      void gateway.memoryMb().then((mb) => {
        memory.push(mb);
        const facts = `${load.failures} failed, ${backends.deaths} deaths, ${mb.toFixed(0)} MB`;
        if (memory.length % 10 === 0) log(`${gateway.changes} changes, ${facts}`);
      });
    }, 1_000);
    const load = new SteadyLoad(gateway.proxyPort, requests);
    try {
      await gateway.configure(targets);
      const changing = gateway.change(changeEveryMs, targets, abort.signal);
      backends.kill(deathEveryMs);
      const result = await load.run(connections, seconds * 1_000);
      abort.abort();
      await changing;
      if (gateway.problems.length > 0) throw new Error(gateway.problems.slice(0, 3).join('\n'));
      log(`statuses ${JSON.stringify(result.statuses)}, ${result.broken} broken off`);
      const failed = result.requests - (result.statuses['200'] ?? 0) + result.broken;
      return rowsOf(seconds, result.requests, result.p99, failed, gateway, backends, memory);
    } finally {
      abort.abort();
      clearInterval(timer);
      backends.stop();
      await gateway.stop();
    }
  },
};

function rowsOf(
  seconds: number,
  count: number,
  p99: number,
  failed: number,
  gateway: ChangingGateway,
  backends: MortalBackends,
  memory: readonly number[],
): Row[] {
  const during = `in ${seconds} s, ${gateway.changes} changes, ${backends.deaths} deaths`;
  const rows: Row[] = [
    {
      name: `requests that failed and could have been retried, ${during}`,
      unit: 'requests',
      ours: failed,
      goal: { text: 'none', isMet: failed === 0 },
    },
    { name: 'requests', unit: 'requests/s', ours: count / seconds, better: 'higher' },
    { name: 'p99', unit: 'ms', ours: p99 },
  ];
  // Young heaps grow until the collector knows how much they need: the first third does not count.
  const steady = memory.slice(Math.floor(memory.length / 3));
  const third = Math.floor(steady.length / 3);
  if (third > 0) {
    const before = median(steady.slice(0, third));
    const after = median(steady.slice(-third));
    rows.push({
      name: 'memory of all processes at the end',
      unit: 'MB',
      ours: after,
      peers: { 'after a third': before },
      goal: { text: 'flat: within 10%', isMet: after <= before * 1.1 },
    });
  }
  return rows;
}
