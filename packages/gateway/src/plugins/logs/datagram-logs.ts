import { hostname } from 'node:os';
import { defaultQueue } from '../../plugin/delivery-queue.ts';
import { DeliveryQueues } from '../../plugin/delivery-queues.ts';
import { type AnyPlugin, definePlugin } from '../../plugin/plugin.ts';
import type { RequestContext } from '../../plugin/request-context.ts';
import { DatagramSender } from './datagram-sender.ts';
import { type LogFields, logFieldProblems, logLine } from './log-line.ts';
import { type SeverityConfig, severityOf, syslogPriority } from './severity.ts';

/** Where a line of a log goes. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** Lines of the datagram plugins: they wait in a bounded queue, and requests never wait for them. */
class DatagramLines {
  readonly #sender = new DatagramSender();
  readonly #queues = new DeliveryQueues<string>((line) => line.length);

  push(context: RequestContext, { host, port }: Place, line: string): void {
    const settings = { ...defaultQueue, max_batch_size: 20, max_coalescing_delay: 0.02 };
    this.#queues
      .get(`${host} ${port}`, context.runtime.log, settings, (batch) =>
        this.#sender.send(host, port, batch),
      )
      .push(line);
  }

  async close(): Promise<void> {
    await this.#queues.close();
    this.#sender.close();
  }
}

/** Sends a line for each request in a datagram of its own. */
export function udpLog(): AnyPlugin {
  const lines = new DatagramLines();
  return definePlugin<Place & LogFields>({
    name: 'udp-log',
    priority: 8,
    check: logFieldProblems,
    log(context, config) {
      lines.push(context, config, logLine(context, config));
    },
    close: () => lines.close(),
  });
}

interface LogglyConfig extends Place, SeverityConfig, LogFields {
  readonly key: string;
  readonly tags: readonly string[] | null;
}

/** Sends a line for each request to Loggly, in the format of RFC 5424. */
export function loggly(): AnyPlugin {
  const lines = new DatagramLines();
  return definePlugin<LogglyConfig>({
    name: 'loggly',
    priority: 6,
    check: logFieldProblems,
    log(context, config) {
      const severity = severityOf(config, context.response?.status ?? 499);
      if (severity === undefined) return;
      const time = new Date(context.runtime.now()).toISOString().replace(/\.\d+Z$/, 'Z');
      const tags = (config.tags ?? []).map((tag) => ` tag="${tag}"`).join('');
      const head = `<${syslogPriority('user', severity)}>1 ${time} ${hostname()} kong - -`;
      const entry = logLine(context, config);
      lines.push(context, config, `${head} [${config.key}@41058${tags}] ${entry}`);
    },
    close: () => lines.close(),
  });
}

interface SyslogConfig extends SeverityConfig, LogFields {
  readonly facility: string;
}

/**
 * Sends a line for each request to the system's log. Kong writes to `/dev/log`, which is a socket of a kind
 * that Node cannot open; here the daemon's port is used, in the format of RFC 3164.
 */
export function syslog(place: Place): AnyPlugin {
  const lines = new DatagramLines();
  return definePlugin<SyslogConfig>({
    name: 'syslog',
    priority: 4,
    check: logFieldProblems,
    log(context, config) {
      const severity = severityOf(config, context.response?.status ?? 499);
      if (severity === undefined) return;
      const time = syslogTime(new Date(context.runtime.now()));
      const head = `<${syslogPriority(config.facility, severity)}>${time} ${hostname()}`;
      const entry = logLine(context, config);
      lines.push(context, place, `${head} kong[${process.pid}]: ${entry}`);
    },
    close: () => lines.close(),
  });
}

/** `Jan  2 03:04:05`. */
function syslogTime(time: Date): string {
  const month = time.toLocaleString('en-US', { month: 'short' });
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()];
  const day = String(time.getDate()).padStart(2);
  return `${month} ${day} ${clock.map((part) => String(part).padStart(2, '0')).join(':')}`;
}
