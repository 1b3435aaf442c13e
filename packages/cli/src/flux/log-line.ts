import { isObject } from '@waygate/text';

/** One line of a controller's log, whoever wrote it. */
interface ControllerLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly error?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Which lines are wanted. */
export interface LineFilter {
  readonly level?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** All namespaces when it is undefined. */
  readonly namespace?: string | undefined;
}

/** Reads a line of JSON or of text, of Flux' controllers or of our own; undefined when it is none. */
export function controllerLine(line: string): ControllerLine | undefined {
  return line.startsWith('{') ? jsonLine(line) : textLine(line);
}

function jsonLine(line: string): ControllerLine | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(entry)) return undefined;
  const text = (...names: string[]): string | undefined => {
    const found = names.map((name) => entry[name]).find((each) => typeof each === 'string');
    return found === '' ? undefined : (found as string | undefined);
  };
  return entryOf({
    time: text('ts', 'time') ?? '',
    level: text('level') ?? '',
    message: text('msg', 'message') ?? '',
    error: text('error'),
    kind: text('reconciler kind', 'controllerKind', 'kind'),
    object: text('object'),
    name: text('name'),
    namespace: text('namespace'),
  });
}

/** `2026-01-01T00:00:00.000Z info  source: message kind="GitRepository" object="ns/name"` */
function textLine(line: string): ControllerLine | undefined {
  const found = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) +([a-z]+) +(.*)$/.exec(line);
  if (found === null) return undefined;
  const [, time = '', level = '', rest = ''] = found;
  const kind = / kind="([^"]*)"/.exec(rest);
  const object = / object="([^"]*)"/.exec(rest);
  const message = rest.replace(/ kind="[^"]*"/, '').replace(/ object="[^"]*"/, '');
  return entryOf({ time, level, message, kind: kind?.[1], object: object?.[1] });
}

function entryOf(found: {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly error?: string | undefined;
  readonly kind?: string | undefined;
  readonly object?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}): ControllerLine {
  const { object, time, level, message, error, kind } = found;
  const slash = object?.indexOf('/') ?? -1;
  const namespace = found.namespace ?? (slash < 0 ? undefined : object?.slice(0, slash));
  const name = found.name ?? object?.slice(slash + 1);
  return {
    time,
    level,
    message,
    ...(error === undefined ? {} : { error }),
    ...(kind === undefined ? {} : { kind }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Whether a line is one of those that were asked for, whatever the case. */
export function isWantedLine(line: ControllerLine, filter: LineFilter): boolean {
  return (['level', 'kind', 'name', 'namespace'] as const).every(
    (field) =>
      filter[field] === undefined || line[field]?.toLowerCase() === filter[field]?.toLowerCase(),
  );
}

/** As `flux logs` prints a line. */
export function logText({
  time,
  level,
  kind,
  name,
  namespace,
  message,
  error,
}: ControllerLine): string {
  const about = name === undefined ? (kind ?? '') : `${kind ?? ''}/${name}.${namespace ?? ''}`;
  return `${time} ${level} ${about} - ${message} ${error ?? ''}`.replaceAll('\n', '\\n').trimEnd();
}
