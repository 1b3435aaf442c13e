import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TracingFlags } from '@waygate/runtime';
import type { CliContext } from '../context.ts';
import { startTracing } from '../controller/tracing.ts';
import { openBrowser } from '../dashboard/open-browser.ts';
import { readProjectFile } from '../project/project-file.ts';
import { processIdentity } from '../runs/process-identity.ts';
import { RunJournal } from '../runs/run-journal.ts';
import { RunLog } from '../runs/run-log.ts';
import type { RunRecord, RunRegistry } from '../runs/run-registry.ts';
import { type ChangeFeed, followChanges } from './change-feed.ts';
import { followingText, type OpenProject } from './open-project.ts';
import { watchProjectFile } from './project-watch.ts';
import type { Screen } from './screen.ts';
import { Stack } from './stack.ts';
import type { StackAddresses, StackOptions } from './stack-options.ts';
import { summary } from './summary.ts';

/** What `waygate up` was asked for. */
interface UpOptions
  extends Omit<
    StackOptions,
    | 'env'
    | 'log'
    | 'tell'
    | 'onApi'
    | 'onLine'
    | 'onProblems'
    | 'onProcesses'
    | 'project'
    | 'tracer'
  > {
  readonly context: CliContext;
  readonly screen: Screen;
  readonly project: OpenProject | undefined;
  readonly registry: RunRegistry;
  /** The directory, as runs are known by it. */
  readonly place: string;
  /** Whether what the parts say is told, too. */
  readonly isVerbose: boolean;
  readonly opensDashboard: boolean;
  /** Whether the path of what is built comes from a flag, and not from `waygate.yaml`. */
  readonly isPathGiven: boolean;
  /** Where traces go by flags; the environment may say it, too. */
  readonly traces: TracingFlags;
}

/** Runs a stack until it is told to stop. */
export async function runUp(options: UpOptions): Promise<void> {
  const { context, screen, project, state, registry, place } = options;
  let runLog: RunLog | undefined;
  const tell = (line: string): void => {
    runLog?.write(line);
    screen.tell(line);
  };
  let journal: RunJournal | undefined;
  const changes = new HeldChanges(screen);
  const ending = new AbortController();
  const signal = AbortSignal.any([context.signal, ending.signal]);
  let feed: ChangeFeed | undefined;
  const log: StackOptions['log'] = (line, level, about) => {
    runLog?.write(line, level, about);
    if (options.isVerbose) context.stderr.write(`${line}\n`);
  };
  const tracing = await startTracing(options.traces, context, `up_${process.pid}`, (entry) => {
    if (entry.level === 'info') log(entry.message);
    else tell(entry.message);
  });
  const stack: Stack = new Stack({
    ...options,
    env: context.env,
    tracer: tracing.tracer,
    log,
    tell,
    onApi: (client, stopping) => {
      const onApplied = (): void => stack.noteApplied();
      // A stack that cannot start stops by itself, and what follows its changes must not outlive it.
      const until = AbortSignal.any([signal, stopping]);
      feed = followChanges(client, changes, until, onApplied, options.hasDashboard);
      return feed.following;
    },
    onLine: (label, text) => screen.output(label, text),
    onProblems: (source, problems) => screen.problems(source, problems),
    onProcesses: (change) => journal?.note(change),
  });
  const net = stopWithin(stopMostMs, stack, context);
  const watch = project && watchProject(project, options.isPathGiven, stack, screen);
  try {
    await state.claim();
    runLog = new RunLog(join(state.path, 'run.log'));
    const addresses = await stack.start();
    journal = new RunJournal(
      registry,
      { ...recordOf(addresses, stack, place, context, project), logFile: runLog.path },
      tell,
    );
    // Backends are started long before there is anything to write down.
    journal.note({ processIds: stack.processIds });
    const { dashboardUrl } = addresses;
    const text = `${summary(addresses, project?.file, context.env)}\nWhat changes (Ctrl-C stops everything):\n`;
    screen.block(text, { type: 'ready', ...addresses });
    if (options.opensDashboard && dashboardUrl !== undefined) openBrowser(dashboardUrl);
    for (const remark of project?.remarks ?? []) tell(remark);
    tell(
      project === undefined
        ? 'following nothing: waygate up DIR applies and follows a directory'
        : followingText(project.source),
    );
    changes.release();
    await feed?.ended;
  } finally {
    watch?.close();
    ending.abort();
    await stack.stop();
    await tracing.close();
    journal?.close();
    await state.release();
    screen.close();
    net.release();
  }
}

function recordOf(
  addresses: StackAddresses,
  stack: Stack,
  directory: string,
  context: CliContext,
  project: OpenProject | undefined,
): RunRecord {
  const { dashboardUrl: _once, ...rest } = addresses;
  return {
    ...rest,
    process: { id: process.pid, identity: processIdentity(process.pid) ?? '' },
    directory,
    startedIn: realpathSync(context.cwd),
    startedAt: new Date().toISOString(),
    following: project === undefined ? 'following nothing' : followingText(project.source),
    ports: stack.portPlan,
    processes: [],
  };
}

/** `waygate.yaml` is read again when it changes; one that is wrong is told, and changes nothing. */
function watchProject(
  project: OpenProject,
  isPathGiven: boolean,
  stack: Stack,
  screen: Screen,
): { close(): void } {
  const source = 'project file';
  return watchProjectFile(project.directory, () => {
    const { project: file, problems } = readProjectFile(project.directory);
    screen.problems(
      source,
      problems.map(({ place, message }) => ({
        key: `${place} ${message}`,
        object: place,
        message,
      })),
    );
    if (problems.length > 0) return;
    screen.tell('waygate.yaml was read again');
    if (!isPathGiven && file.path !== project.file.path)
      screen.tell('its path holds from the next start on');
    stack.setProjectFile(file);
  });
}

/** What changes while the stack is still starting is told below the summary. */
class HeldChanges implements Pick<Screen, 'tell'> {
  readonly #screen: Screen;
  #held: Parameters<Screen['tell']>[] | undefined = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  tell(...what: Parameters<Screen['tell']>): void {
    if (this.#held === undefined) this.#screen.tell(...what);
    else this.#held.push(what);
  }

  release(): void {
    for (const each of this.#held ?? []) this.#screen.tell(...each);
    this.#held = undefined;
  }
}

/** Longer than any part takes that stops in order. */
const stopMostMs = 30_000;

/** Whoever says stop is not left waiting for a part that does not: it is named, and the end comes. */
function stopWithin(mostMs: number, stack: Stack, context: CliContext): { release(): void } {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => {
      const what = stack.stopping.join(', ') || 'what follows the changes';
      context.stderr.write(`waygate: ${what} did not stop within ${mostMs / 1_000} s\n`);
      process.exit(1);
    }, mostMs);
  };
  context.signal.addEventListener('abort', onAbort, { once: true });
  return {
    release() {
      context.signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
  };
}
