import type { CliContext } from '../context.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof levels)[number];

/** Who speaks: a controller, or the program that runs them. */
export const logParts = [
  'program',
  'ingress',
  'gitops',
  'source',
  'kustomize',
  'helm',
  'notification',
] as const;
type LogPart = (typeof logParts)[number];

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** The program when absent. */
  readonly part?: LogPart | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** From which level up each part is shown. */
interface LogLevels {
  readonly otherwise: LogLevel;
  readonly byPart: ReadonlyMap<LogPart, LogLevel>;
}

/** Levels beyond `error` end a program of others; here they mean that only errors are shown. */
const olderNames: Readonly<Record<string, LogLevel>> = {
  warning: 'warn',
  fatal: 'error',
  panic: 'error',
};

/** `info`, or `info,ingress=debug,source=warn`; a text says what is wrong with it. */
export function logLevelsOf(text: string): LogLevels | string {
  let otherwise: LogLevel = 'info';
  const byPart = new Map<LogPart, LogLevel>();
  for (const word of text.split(',').map((one) => one.trim())) {
    const [left = '', right] = word.split('=');
    const level = levelOf(right ?? left);
    if (level === undefined)
      return `${right ?? left} is none of trace, debug, info, warn, error, fatal, panic`;
    if (right === undefined) otherwise = level;
    else {
      const part = logParts.find((one) => one === left);
      if (part === undefined) return `${left} is none of ${logParts.join(', ')}`;
      byPart.set(part, level);
    }
  }
  return { otherwise, byPart };
}

function levelOf(text: string): LogLevel | undefined {
  if (Object.hasOwn(olderNames, text)) return olderNames[text];
  return levels.find((level) => level === text);
}

/**
 * A log on stderr, as lines of text or of JSON. A line of JSON has `time`, `level`, `part` and
 * `message`, then what it is about: `kind` and `object` (`namespace/name`), and further fields.
 */
export function logger(
  context: Pick<CliContext, 'stderr'>,
  format: string,
  { otherwise, byPart }: LogLevels,
  now: () => Date = () => new Date(),
): (entry: LogEntry) => void {
  // Parts of the GitOps side that nobody named go with it.
  const fromOf = (part: LogPart): LogLevel => {
    const isOfGitOps = ['source', 'kustomize', 'helm', 'notification'].includes(part);
    return byPart.get(part) ?? (isOfGitOps ? byPart.get('gitops') : undefined) ?? otherwise;
  };
  return ({ level, message, part = 'program', fields = {} }) => {
    if (levels.indexOf(level) < levels.indexOf(fromOf(part))) return;
    const time = now().toISOString();
    if (format === 'json') {
      context.stderr.write(`${JSON.stringify({ time, level, part, message, ...fields })}\n`);
      return;
    }
    const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    const head = part === 'program' ? '' : `${part}: `;
    context.stderr.write(`${time} ${level.padEnd(5)} ${head}${message}${rest.join('')}\n`);
  };
}

/** Which part speaks about an object of a kind. */
export function partOfKind(kind: string | undefined): LogPart {
  switch (kind) {
    case undefined:
      return 'gitops';
    case 'Kustomization':
      return 'kustomize';
    case 'HelmRelease':
      return 'helm';
    case 'Alert':
    case 'Provider':
    case 'Receiver':
      return 'notification';
    case 'Bucket':
    case 'GitRepository':
    case 'OCIRepository':
      return 'source';
    default:
      return 'gitops';
  }
}
