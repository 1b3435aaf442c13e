/** A program that prints without ever ending a line must not fill memory. */
const mostLineLength = 10_000;
/** How long a line without an end waits for one: a prompt, a progress bar. */
const waitMs = 500;

/** Tells a stream's lines one by one; the last one even when it has no end. */
export function eachLine(stream: NodeJS.ReadableStream, tell: (line: string) => void): void {
  let rest = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    if (rest !== '') tell(rest);
    rest = '';
  };
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    clearTimeout(timer);
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) tell(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (rest.length > mostLineLength) {
      tell(rest.slice(0, mostLineLength));
      rest = rest.slice(mostLineLength);
    }
    if (rest !== '') timer = setTimeout(flush, waitMs);
  });
  stream.on('close', () => {
    clearTimeout(timer);
    flush();
  });
}
