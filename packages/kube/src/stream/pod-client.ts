import type { Duplex, Readable } from 'node:stream';
import { kinds } from '@waygate/schema';
import { KubeError } from '../error.ts';
import type { CallOptions } from '../list-options.ts';
import type { ApiRequest } from '../transport/api-request.ts';
import { queryString, resourcePath } from '../transport/resource-path.ts';
import type { Transport } from '../transport/transport.ts';
import { LineSplitter } from '../watch/line-splitter.ts';
import { type ExecOutput, ExecSession } from './exec-session.ts';
import { openPort, PortForwarder } from './port-forwarder.ts';

/** Which container, and how much of what it wrote. */
export interface LogOptions {
  readonly container?: string | undefined;
  /** Goes on as new lines are written. */
  readonly follow?: boolean | undefined;
  /** Of the container's run before this one. */
  readonly previous?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: string | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly timestamps?: boolean | undefined;
}

/** Which container is attached to, and what is connected. */
export interface AttachOptions {
  readonly container?: string | undefined;
  readonly stdin?: boolean | undefined;
  readonly tty?: boolean | undefined;
}

/** What is run in which container, and what is connected. */
export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

const maxLine = 16 * 1024 * 1024;

/**
 * What runs in one Pod.
 *
 * ```ts
 * const pod = client.pod('shop', 'web-0');
 * const { stdout } = await pod.run(['cat', '/etc/hostname']);
 * for await (const line of pod.logLines({ follow: true }, { signal })) console.log(line);
 * ```
 */
export class PodClient {
  readonly #transport: Transport;
  readonly #namespace: string;
  readonly #name: string;

  constructor(transport: Transport, namespace: string, name: string) {
    this.#transport = transport;
    this.#namespace = namespace;
    this.#name = name;
  }

  /** The log as bytes. A followed one ends with the container, or with the signal. */
  async logs(options: LogOptions = {}, call: CallOptions = {}): Promise<Readable> {
    return (await this.#transport.send(this.#logRequest(options, call))).body;
  }

  /** The log line by line, without their ends. */
  async *logLines(
    options: LogOptions = {},
    call: CallOptions = {},
  ): AsyncGenerator<string, void, void> {
    const request = this.#logRequest(options, call);
    const { body } = await this.#transport.send(request);
    const splitter = new LineSplitter(maxLine);
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        for (const line of splitter.push(chunk)) yield line.toString('utf8');
      }
    } catch (error) {
      if (call.signal?.aborted === true) return;
      throw this.#transport.wrap(error, request);
    } finally {
      body.on('error', () => {}).destroy();
    }
    const rest = splitter.rest();
    if (rest.length > 0) yield rest.toString('utf8');
  }

  /** Starts a command; resolves when it runs. */
  async exec(options: ExecOptions, call: CallOptions = {}): Promise<ExecSession> {
    if (options.command.length === 0) throw new KubeError('WG_KUBE_CONFIG', 'exec needs a command');
    const query = queryString({ ...terminalQuery(options), command: options.command });
    return this.#session(`${this.#path('exec')}${query}`, call);
  }

  /** Joins the container's main process. */
  async attach(options: AttachOptions = {}, call: CallOptions = {}): Promise<ExecSession> {
    return this.#session(`${this.#path('attach')}${queryString(terminalQuery(options))}`, call);
  }

  /** Runs a command to its end and gives what it wrote. */
  async run(
    command: readonly string[],
    options: AttachOptions & { readonly input?: string | Buffer | undefined } = {},
    call: CallOptions = {},
  ): Promise<ExecOutput> {
    const { input, ...rest } = options;
    const session = await this.exec({ ...rest, command, stdin: input !== undefined }, call);
    if (input !== undefined) session.stdin.end(input);
    return session.output();
  }

  /** One connection to a port of the Pod. */
  async connect(port: number, call: CallOptions = {}): Promise<Duplex> {
    const path = `${this.#path('portforward')}${queryString({ ports: port })}`;
    return openPort(this.#transport, path, call.signal ?? new AbortController().signal);
  }

  /** Listens on loopback and takes each connection to a port of the Pod. */
  async portForward(
    port: number,
    options: {
      readonly localPort?: number | undefined;
      readonly host?: string | undefined;
      readonly onError?: ((error: unknown) => void) | undefined;
    } = {},
  ): Promise<PortForwarder> {
    return PortForwarder.listen((signal) => this.connect(port, { signal }), {
      port: options.localPort ?? 0,
      host: options.host ?? '127.0.0.1',
      onError: options.onError ?? (() => {}),
    });
  }

  #session(path: string, call: CallOptions): Promise<ExecSession> {
    return ExecSession.open(this.#transport, path, call.signal ?? new AbortController().signal);
  }

  #logRequest(options: LogOptions, call: CallOptions): ApiRequest {
    return {
      method: 'GET',
      path: `${this.#path('log')}${queryString({ ...options })}`,
      headers: { accept: '*/*' },
      signal: call.signal,
      isStream: options.follow === true,
    };
  }

  #path(subresource: string): string {
    return resourcePath(kinds.Pod, {
      namespace: this.#namespace,
      name: this.#name,
      subresource,
    });
  }
}

function terminalQuery(options: AttachOptions): Record<string, string | boolean | undefined> {
  return {
    container: options.container,
    stdin: options.stdin === true ? true : undefined,
    stdout: true,
    // A terminal has one screen: both go to stdout.
    stderr: options.tty === true ? undefined : true,
    tty: options.tty === true ? true : undefined,
  };
}
