import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Running, run, start } from '../real/processes.ts';
import { until } from '../until.ts';

/** The address that a Pod would have: not loopback, and on no other machine. */
export const podAddress = '10.99.0.1';

/** As a node gives a Pod its own: nothing leaves the network, and nothing is written to the disk. */
const setUp = `set -e
ip link set lo up
ip address add ${podAddress}/32 dev lo
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount --rbind /proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
echo ready
exec sleep 600
`;

/**
 * A network and a root file system of a test's own: fixed ports are free there, nothing reaches
 * anybody, and files may be put where the cluster puts them.
 */
export class OwnMachine implements AsyncDisposable {
  readonly #directory: string;
  readonly #holder: Running;
  #relay: Running | undefined;
  #outside: Server | undefined;

  /** Why there can be none here; undefined when there can. */
  static problem(): string | undefined {
    if (process.getuid?.() !== 0) return 'only root may make networks and file systems';
    const directory = mkdtempSync(join(tmpdir(), 'waygate-machine-'));
    try {
      prepare(directory);
      const script = setUp.replace('exec sleep 600', 'true');
      const { status, stderr, error } = spawnSync(
        'unshare',
        ['--net', '--mount', 'sh', '-c', script, 'sh', directory],
        { encoding: 'utf8' },
      );
      return status === 0 ? undefined : (error?.message ?? stderr.trim());
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  static async start(): Promise<OwnMachine> {
    const directory = mkdtempSync(join(tmpdir(), 'waygate-machine-'));
    prepare(directory);
    const args = ['--net', '--mount', 'sh', '-c', setUp, 'sh', directory];
    const machine = new OwnMachine(directory, start('unshare', args));
    await until('the machine to be there', () => machine.#holder.output().includes('ready'));
    return machine;
  }

  private constructor(directory: string, holder: Running) {
    this.#directory = directory;
    this.#holder = holder;
  }

  /** Starts a program there with these variables and no others. */
  start(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Running {
    return start('nsenter', this.#words(command, args, environment));
  }

  /** Runs a program there to its end. @throws when it fails */
  async run(
    command: string,
    args: readonly string[],
    options: { environment?: Readonly<Record<string, string>>; input?: string } = {},
  ): Promise<string> {
    const { environment = {}, input = '' } = options;
    const words = this.#words(command, args, environment);
    const { code, stdout, stderr } = await run('nsenter', words, { input });
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Lets a port of its loopback lead to an address outside, which is all that leaves it. */
  async forward(port: number, to: { readonly host: string; readonly port: number }): Promise<void> {
    const path = join(this.#directory, `${port}.sock`);
    this.#outside = createServer((inner) => pipeBoth(inner, connect(to.port, to.host))).listen(
      path,
    );
    // In its network, but with the files of this machine: the socket is there.
    const relay = start('nsenter', [
      ...['--target', String(this.#holder.process.pid), '--net', process.execPath],
      ...['-e', relayScript, path, String(port)],
    ]);
    this.#relay = relay;
    await until('the way out', () => relay.output().includes('ready'));
  }

  /** Puts a file there. */
  async write(path: string, text: string): Promise<void> {
    const script = 'mkdir -p "$(dirname "$1")" && cat > "$1"';
    await this.run('sh', ['-c', script, 'sh', path], { input: text });
  }

  #words(
    command: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): string[] {
    const variables = { PATH: process.env.PATH ?? '', HOME: '/tmp', ...environment };
    return [
      ...['--target', String(this.#holder.process.pid), '--net', '--mount'],
      ...['chroot', join(this.#directory, 'root'), 'env', '--ignore-environment'],
      ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
      command,
      ...args,
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay?.stop('SIGKILL');
    this.#outside?.close();
    await this.#holder.stop('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const relayScript = `const net = require('node:net');
const [path, port] = process.argv.slice(1);
net.createServer((inner) => {
  const outer = net.connect(path);
  inner.pipe(outer).pipe(inner);
  for (const [one, other] of [[inner, outer], [outer, inner]])
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));`;

function pipeBoth(inner: Socket, outer: Socket): void {
  inner.pipe(outer).pipe(inner);
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}

function prepare(directory: string): void {
  for (const name of ['upper', 'work', 'root']) mkdirSync(join(directory, name));
}
