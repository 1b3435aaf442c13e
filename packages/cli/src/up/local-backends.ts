import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { LocalBackend } from './project-file.ts';

interface LocalBackendsOptions {
  /** Where commands run: the project's directory. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  /** The ports of an earlier run, so that state that was kept still points at them. */
  readonly preferredPorts?: ReadonlyMap<string, number> | undefined;
}

const restartDelayMs = 1_000;
const stopGraceMs = 3_000;

/** Runs the project's stand-in services, each on a port of its own, and starts one again that ended. */
export class LocalBackends {
  readonly ports = new Map<string, number>();
  readonly #backends: readonly LocalBackend[];
  readonly #options: LocalBackendsOptions;
  readonly #children = new Map<string, ChildProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isStopping = false;

  constructor(backends: readonly LocalBackend[], options: LocalBackendsOptions) {
    this.#backends = backends;
    this.#options = options;
  }

  /** Chooses the ports and starts the processes; does not wait for them to listen. */
  async start(): Promise<void> {
    for (const backend of this.#backends) {
      const preferred = this.#options.preferredPorts?.get(backend.name) ?? 0;
      this.ports.set(backend.name, await freePort(preferred));
    }
    for (const backend of this.#backends) this.#spawn(backend);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all([...this.#children.values()].map(end));
  }

  #spawn(backend: LocalBackend): void {
    const [program = '', ...args] = backend.command;
    const { directory, env, log } = this.#options;
    const child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: directory,
      env: { ...env, ...backend.env, PORT: String(this.ports.get(backend.name)) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.set(backend.name, child);
    for (const stream of [child.stdout, child.stderr])
      forwardLines(stream, (line) => log(`${backend.name}: ${line}`));
    child.once('error', (error) =>
      log(`${backend.name}: cannot start ${program}: ${error.message}`),
    );
    child.once('exit', (code, signal) => {
      this.#children.delete(backend.name);
      if (this.#isStopping) return;
      log(`${backend.name}: ended with ${signal ?? code}; starting it again`);
      const timer = setTimeout(() => {
        this.#restarts.delete(timer);
        this.#spawn(backend);
      }, restartDelayMs);
      this.#restarts.add(timer);
    });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), stopGraceMs);
  await exited;
  clearTimeout(force);
}

/** A backend that prints without ever ending a line must not fill memory. */
const maxLineLength = 10_000;

function forwardLines(stream: NodeJS.ReadableStream, log: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > maxLineLength) lines.push(rest.slice(0, maxLineLength));
    if (rest.length > maxLineLength) rest = '';
    for (const line of lines) if (line !== '') log(line);
  });
}

/** The wanted port if it is free, else another. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return wanted === 0 ? Promise.reject(new Error('no port is free on 127.0.0.1')) : freePort(0);
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
