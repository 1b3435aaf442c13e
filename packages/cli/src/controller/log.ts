import type { CliContext } from '../context.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof levels)[number];

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Levels beyond `error` end a program of others; here they mean that only errors are shown. */
const olderNames: Readonly<Record<string, LogLevel>> = {
  warning: 'warn',
  fatal: 'error',
  panic: 'error',
};

export function logLevelOf(text: string): LogLevel | undefined {
  if (Object.hasOwn(olderNames, text)) return olderNames[text];
  return levels.find((level) => level === text);
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
