// The side of the child: what runs in a process of its own, for a `waygate up` that watches over it.

/** What the child tells its parent. */
export type PartReport<Started> =
  | { readonly type: 'started'; readonly value: Started }
  | {
      readonly type: 'failed';
      readonly message: string;
      readonly code?: string | undefined;
      readonly port?: number | undefined;
    }
  | { readonly type: 'line'; readonly line: string }
  | { readonly type: 'answered'; readonly id: number; readonly value: unknown }
  | { readonly type: 'alive' };

/** What the parent tells its child. */
export type PartCommand<Order> =
  | { readonly type: 'start'; readonly order: Order }
  | { readonly type: 'ask' }
  | { readonly type: 'call'; readonly id: number; readonly body: unknown }
  | { readonly type: 'stop' };

/** A part of the stack that runs. */
interface RunningPart<Started> {
  readonly value: Started;
  /** What the parent asks for while it runs. */
  call?(body: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/**
 * Starts a part when the parent orders it, and stops it when it is told to. When the channel closes
 * without that, the parent was killed: then the process ends at once, so that the next run finds its
 * ports and its directory free, and nothing is lost that was acknowledged.
 */
export function runPart<Order, Started>(
  start: (order: Order, log: (line: string) => void) => Promise<RunningPart<Started>>,
): void {
  let running: Promise<RunningPart<Started> | undefined> = Promise.resolve(undefined);
  const report = (message: PartReport<Started>): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on('message', (command: PartCommand<Order>) => {
    if (command.type === 'ask') report({ type: 'alive' });
    if (command.type === 'call') {
      const { id, body } = command;
      // Without an answer the parent waits for the next start, with which it tells all of it again.
      void running
        .then((part) => part?.call?.(body))
        .then((value) => report({ type: 'answered', id, value }))
        .catch((error: Error) => report({ type: 'line', line: error.message }));
    }
    if (command.type === 'stop')
      void running.then((part) => part?.stop()).finally(() => process.exit(0));
    if (command.type !== 'start') return;
    running = start(command.order, (line) => report({ type: 'line', line })).then(
      (part) => {
        report({ type: 'started', value: part.value });
        return part;
      },
      (error: NodeJS.ErrnoException & { port?: number; cause?: { port?: number } }) => {
        const port = error.port ?? error.cause?.port;
        report({ type: 'failed', message: error.message, code: error.code, port });
        return undefined;
      },
    );
  });
  process.once('disconnect', () => process.exit(0));
}
