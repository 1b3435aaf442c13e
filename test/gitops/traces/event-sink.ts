import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type ObservedEvent, observedEvent, type SentEvent } from './trace.ts';

/** Takes the events that controllers send, as notification-controller does. */
export class EventSink implements AsyncDisposable {
  readonly events: ObservedEvent[] = [];
  private readonly server: Server;

  static async start(): Promise<EventSink> {
    const sink = new EventSink();
    await new Promise<void>((resolve) => sink.server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  private constructor() {
    this.server = createServer(async (request, response) => {
      const { involvedObject, ...sent } = JSON.parse(await text(request)) as Omit<
        SentEvent,
        'involvedObject'
      > & { involvedObject: { kind: string; name: string } };
      const object = `${involvedObject.kind}/${involvedObject.name}`;
      this.events.push(observedEvent({ ...sent, involvedObject: object }));
      response.writeHead(202).end();
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
