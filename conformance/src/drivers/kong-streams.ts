import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Gateway } from '@waygate/gateway';
import { type ConformanceCase, fail, type Outcome, pass } from '../driver.ts';

export interface StreamScenario {
  readonly name: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly calls: readonly StreamCall[];
}

interface StreamCall {
  readonly call?: { readonly port: number; readonly sni?: string };
  readonly result?: { readonly received?: string; readonly error?: string };
  readonly sni?: string | null;
  readonly served?: string;
}

/** The ports of the recording. */
const tcpPort = 29_000;
const backendPort = 20_081;

/** Certificates of the recording by the words that describe them: names stand for their SNIs. */
export function* streamCases(
  name: string,
  scenarios: readonly StreamScenario[],
  certificate: { readonly cert: string; readonly key: string },
): Generator<ConformanceCase> {
  for (const scenario of scenarios) {
    const player = new StreamPlayer(scenario, certificate);
    for (const [index, call] of scenario.calls.entries()) {
      const label = call.sni ?? call.call?.sni ?? '';
      yield {
        id: `${name}/${scenario.name}/${index} ${label}`.trim(),
        feature: name,
        run: () => player.run(index),
      };
    }
  }
}

class StreamPlayer {
  readonly #scenario: StreamScenario;
  readonly #certificate: { readonly cert: string; readonly key: string };
  #gateway: Gateway | undefined;
  #backend: Server | undefined;
  #ports: readonly number[] = [];
  #secureProxyPort = 0;

  constructor(
    scenario: StreamScenario,
    certificate: { readonly cert: string; readonly key: string },
  ) {
    this.#scenario = scenario;
    this.#certificate = certificate;
  }

  async run(index: number): Promise<Outcome> {
    if (this.#gateway === undefined) await this.#start();
    const call = this.#scenario.calls[index];
    const outcome = call === undefined ? pass : await this.#play(call);
    if (index === this.#scenario.calls.length - 1) {
      await this.#gateway?.stop();
      this.#backend?.close();
    }
    return outcome;
  }

  async #start(): Promise<void> {
    const backend = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.write('hello from tcp backend\n');
      socket.on('data', (chunk: Buffer) => socket.end(`echo:${chunk.toString('utf8')}`));
    });
    this.#backend = backend;
    await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
    const { port } = backend.address() as AddressInfo;
    // The recorded routes name the port that Kong listened on: it is taken before the routes are made.
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const own = (probe.address() as AddressInfo).port;
    await new Promise((resolve) => probe.close(resolve));
    const text = JSON.stringify({
      _format_version: '3.0',
      ...(this.#scenario.config ?? this.#tls()),
    })
      .replaceAll(`"port":${tcpPort}`, `"port":${own}`)
      .replaceAll(`"port":${backendPort}`, `"port":${port}`);
    this.#gateway = new Gateway({
      config: JSON.parse(text) as object,
      proxy: [{ host: '127.0.0.1', port: 0, isTls: true }],
      streams: [
        { host: '127.0.0.1', port: own, kind: 'tcp' },
        { host: '127.0.0.1', port: 0, kind: 'tls' },
      ],
      admin: false,
    });
    const { streams, proxy } = await this.#gateway.start();
    this.#ports = streams.map((address) => address.port);
    this.#secureProxyPort = proxy[0]?.port ?? 0;
  }

  /** `leaf1 (one.example.com, *.wild.test)`: what was served, with the names it was served for. */
  #tls(): object {
    const served = [...new Set(this.#scenario.calls.map((call) => call.served ?? ''))];
    const certificates = served.flatMap((text) => {
      const names = /\(([^)]+)\)/.exec(text)?.[1];
      if (names === undefined) return [];
      return [{ ...this.#certificate, snis: names.split(', ').map((sni) => ({ name: sni })) }];
    });
    return { certificates };
  }

  async #play({ call, result, sni, served }: StreamCall): Promise<Outcome> {
    if (call === undefined) return this.#compareCertificate(sni ?? undefined, served ?? '');
    const isTls = call.sni !== undefined;
    const received = await talk(this.#ports[isTls ? 1 : 0] ?? 0, call.sni);
    const expected = result?.error === undefined ? (result?.received ?? '') : undefined;
    return received === expected
      ? pass
      : fail(`expected ${expected ?? 'no connection'}, got ${received ?? 'no connection'}`);
  }

  async #compareCertificate(sni: string | undefined, served: string): Promise<Outcome> {
    const subject = await new Promise<string>((resolve, reject) => {
      const socket: TLSSocket = connectTls(
        {
          host: '127.0.0.1',
          port: this.#secureProxyPort,
          rejectUnauthorized: false,
          ...(sni === undefined ? {} : { servername: sni }),
        },
        () => {
          resolve(JSON.stringify(socket.getPeerCertificate().subject));
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
    const isDefault = subject.includes('localhost');
    return isDefault === served.includes('default') ? pass : fail(`served ${subject}`);
  }
}

/** Says `ping` and returns all that came back; undefined if there was no connection to speak on. */
function talk(port: number, sni: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    let isOpen = sni === undefined;
    const socket: Socket =
      sni === undefined
        ? connect(port, '127.0.0.1')
        : connectTls(
            { host: '127.0.0.1', port, servername: sni, rejectUnauthorized: false },
            () => {
              isOpen = true;
              socket.write('ping\n');
            },
          );
    if (sni === undefined) socket.on('connect', () => socket.write('ping\n'));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(isOpen ? text : undefined));
  });
}
