/** A server-sent event. Without an id, the reader's last one stays. */
export function eventText(data: unknown, id: string | undefined): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}data: ${JSON.stringify(data)}\n\n`;
}

/** A line that no page sees, so that whoever is in between sees that the stream lives. */
export const pingText = ': ping\n\n';
