import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** As much of a Redis as keeps texts: `GET`, `SET` with `EX` and `NX`, `DEL`. It forgets nothing by itself. */
export class RedisStandIn {
  readonly kept = new Map<string, string>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** The port that it listens on. */
  async start(): Promise<number> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let received = '';
      socket.setEncoding('utf8');
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('data', (chunk: string) => {
        received += chunk;
        for (;;) {
          const [command, rest] = readCommand(received);
          if (command === undefined) return;
          received = rest;
          socket.write(this.#answer(command));
        }
      });
    }).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  stop(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #answer([word, key = '', value = '', ...options]: readonly string[]): string {
    const known = this.kept.get(key);
    switch (word) {
      case 'GET':
        return known === undefined ? '$-1\r\n' : `$${Buffer.byteLength(known)}\r\n${known}\r\n`;
      case 'SET':
        if (options.includes('NX') && known !== undefined) return '$-1\r\n';
        this.kept.set(key, value);
        return '+OK\r\n';
      case 'DEL':
        return `:${Number(this.kept.delete(key))}\r\n`;
      default:
        return `-ERR unknown command '${word}'\r\n`;
    }
  }
}

/** The first command of what came, if it is whole, and what is left. Its words are plain ASCII. */
function readCommand(text: string): [readonly string[] | undefined, string] {
  const head = /^\*(\d+)\r\n/u.exec(text);
  if (head === null) return [undefined, text];
  const words: string[] = [];
  let rest = text.slice(head[0].length);
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const [line, length = ''] = /^\$(\d+)\r\n/u.exec(rest) ?? [];
    const end = (line?.length ?? 0) + Number(length);
    if (line === undefined || rest.length < end + 2) return [undefined, text];
    words.push(rest.slice(line.length, end));
    rest = rest.slice(end + 2);
  }
  return [words, rest];
}
