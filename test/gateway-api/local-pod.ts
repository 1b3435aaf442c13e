import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { ownPort } from '../../packages/gateway/src/testing/own-port.ts';
import { isListening } from '../real/processes.ts';
import { EmptyDns, UdpForward } from './local-udp.ts';

/** A port of a container, and the variables that tell the program to listen elsewhere. */
export interface LocalPort {
  readonly port: number;
  readonly variables: readonly string[];
}

/** A line that a program wrote, and when. */
interface LogLine {
  readonly at: number;
  readonly text: string;
}

/**
 * What would be a container: a program on ports of its own choice, reached at the address of the pod and
 * the ports that the manifests name. Linux answers at every address of 127.0.0.0/8.
 */
export class LocalPod {
  readonly #children: ChildProcess[] = [];
  readonly #servers: Server[] = [];
  readonly #datagrams: { stop(): void }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #log: LogLine[] = [];
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  /** Starts the program, and waits until it listens. */
  async start(
    program: string,
    environment: Readonly<Record<string, string>>,
    ports: readonly LocalPort[],
  ): Promise<void> {
    const chosen: Record<string, string> = {};
    const links: (readonly [outer: number, inner: number])[] = [];
    for (const { variables, port } of ports) {
      const inner = await ownPort();
      for (const variable of variables) chosen[variable] = String(inner);
      // A manifest may say where its program listens.
      const asked = variables.map((variable) => Number(environment[variable])).find(Boolean);
      links.push([asked ?? port, inner]);
    }
    const child = this.#spawn(program, { ...environment, ...chosen });
    for (const [outer, inner] of links) await this.#forward(outer, inner);
    const first = links[0]?.[1];
    while (first !== undefined && child.exitCode === null && !(await isListening(first)))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** The same for a program that takes datagrams: whether it listens is for it to say. */
  async startUdp(
    program: string,
    environment: Readonly<Record<string, string>>,
    { port, variables }: LocalPort,
  ): Promise<void> {
    const inner = await ownPort();
    const chosen = Object.fromEntries(variables.map((variable) => [variable, String(inner)]));
    const child = this.#spawn(program, { ...environment, ...chosen });
    const forward = new UdpForward();
    this.#datagrams.push(forward);
    await forward.start(this.address, port, inner);
    while (child.exitCode === null && !this.logSince(0).includes('listening'))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async startDns(port: number): Promise<void> {
    const dns = new EmptyDns();
    this.#datagrams.push(dns);
    await dns.start(this.address, port);
  }

  #spawn(program: string, environment: Readonly<Record<string, string>>) {
    const child = spawn(program, [], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { GOMAXPROCS: '1', ...environment },
    });
    this.#children.push(child);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => this.#note(String(chunk)));
    return child;
  }

  /** What the program said since then. */
  logSince(since: number): string {
    return this.#log
      .filter(({ at }) => at >= since)
      .map(({ text }) => `${text}\n`)
      .join('');
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) server.close();
    for (const each of this.#datagrams.splice(0)) each.stop();
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  #note(text: string): void {
    const at = Date.now();
    for (const line of text.split('\n')) if (line !== '') this.#log.push({ at, text: line });
  }

  async #forward(outer: number, inner: number): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
      const far = connect({ port: inner, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        // A reset stays a reset: tests of retries tell it from an end.
        one.on('error', () => (other.destroyed ? undefined : other.resetAndDestroy()));
        one.on('close', () => {
          this.#sockets.delete(one);
          if (!other.writableEnded) other.destroy();
        });
      }
    });
    server.listen(outer, this.address);
    await once(server, 'listening');
    this.#servers.push(server);
  }
}
