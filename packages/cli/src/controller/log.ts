import type { CliContext } from '../context.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof levels)[number];

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

export function isLogLevel(text: string): text is LogLevel {
  return (levels as readonly string[]).includes(text);
}

/** A log on stderr, as lines of text or of JSON, from a level up. */
export function logger(
  context: CliContext,
  format: string,
  from: LogLevel,
  now: () => Date = () => new Date(),
): (entry: LogEntry) => void {
  return ({ level, message, fields = {} }) => {
    if (levels.indexOf(level) < levels.indexOf(from)) return;
    const time = now().toISOString();
    if (format === 'json') {
      context.stderr.write(`${JSON.stringify({ time, level, message, ...fields })}\n`);
      return;
    }
    const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    context.stderr.write(`${time} ${level.padEnd(5)} ${message}${rest.join('')}\n`);
  };
}
