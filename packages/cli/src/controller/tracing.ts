import { readFile } from 'node:fs/promises';
import { OtlpExporter, Tracer, type TracingFlags, tracingSettings } from '@waygate/runtime';
import { type CliContext, CliError, exitCode } from '../context.ts';
import type { LogEntry } from './log.ts';

/** Traces of one process, where somebody asked for them. */
interface Tracing {
  readonly tracer: Tracer | undefined;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Starts to send traces where flags or the environment say. */
export async function startTracing(
  flags: TracingFlags,
  { env }: Pick<CliContext, 'env'>,
  identity: string,
  log: (entry: LogEntry) => void,
): Promise<Tracing> {
  const { exporter, caFile, ratio, problems, warnings } = tracingSettings(env, 'waygate', flags);
  if (problems.length > 0) throw new CliError(problems.join('\n'), { exitCode: exitCode.usage });
  for (const message of warnings) log({ level: 'warn', message });
  if (exporter === undefined) return { tracer: undefined, close: async () => undefined };
  const ca = caFile === undefined ? undefined : await certificatesOf(caFile);
  const sink = new OtlpExporter({
    ...exporter,
    ca,
    resource: { 'service.instance.id': identity, ...exporter.resource },
    onError: ({ message }) => log({ level: 'warn', message }),
  });
  const stop = new AbortController();
  const running = sink.run(stop.signal);
  const { origin } = new URL(exporter.url);
  log({ level: 'info', message: 'traces are sent', fields: { to: origin } });
  return {
    tracer: new Tracer(sink, ratio),
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function certificatesOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const said = `the certificates of OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read from ${file}`;
    throw new CliError(said, { cause });
  }
}
