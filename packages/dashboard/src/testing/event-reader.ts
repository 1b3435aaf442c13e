import type { StreamMessage } from '../protocol/stream.ts';

/** One event as a browser would hand it to a page. */
export interface ReadEvent {
  readonly id: string;
  readonly message: StreamMessage;
}

/** Reads server-sent events as a browser does, and remembers the last id for the next connection. */
export class EventReader {
  readonly events: ReadEvent[] = [];
  lastId = '';
  #buffer = '';

  /** Takes bytes in; an event counts when its blank line has come. */
  push(text: string): void {
    this.#buffer += text;
    for (;;) {
      const end = this.#buffer.indexOf('\n\n');
      if (end < 0) return;
      this.#take(this.#buffer.slice(0, end));
      this.#buffer = this.#buffer.slice(end + 2);
    }
  }

  /** The connection is gone: half an event is none. */
  cut(): void {
    this.#buffer = '';
  }

  #take(block: string): void {
    let data = '';
    for (const line of block.split('\n')) {
      if (line.startsWith('id: ')) this.lastId = line.slice(4);
      else if (line.startsWith('data: ')) data += line.slice(6);
    }
    if (data !== '') this.events.push({ id: this.lastId, message: JSON.parse(data) });
  }
}
