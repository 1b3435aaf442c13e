/** One event of a `text/event-stream`: its data, and the id that stood when it was dispatched. */
interface ServerEvent {
  readonly id: string;
  readonly data: string;
}

/**
 * Reads a stream of server-sent events chunk by chunk, cut anywhere. What is not ended by an empty line was not
 * sent whole and is never given out, so that resuming behind the last id loses nothing.
 *
 * We read the stream with `fetch`: the browser's EventSource hides the status of an answer and never notices a
 * connection that went silent.
 */
export class EventStreamReader {
  #rest = '';
  #data: string[] = [];
  #lastId = '';

  push(chunk: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const text = this.#rest + chunk;
    let start = 0;
    for (;;) {
      const end = lineEnd(text, start);
      if (end === undefined) break;
      this.#line(text.slice(start, end.at), events);
      start = end.next;
    }
    this.#rest = text.slice(start);
    return events;
  }

  #line(line: string, events: ServerEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ id: this.#lastId, data: this.#data.join('\n') });
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    if (field === 'id' && !value.includes('\0')) this.#lastId = value;
  }
}

/** A carriage return at the very end may be the first half of a line end: it waits for the next chunk. */
function lineEnd(text: string, from: number): { at: number; next: number } | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\n') return { at, next: at + 1 };
    if (text[at] !== '\r') continue;
    if (at + 1 === text.length) return undefined;
    return { at, next: text[at + 1] === '\n' ? at + 2 : at + 1 };
  }
  return undefined;
}
