/** A line of a program that stands in for another. */
export function say(program: string, line: string): void {
  process.stderr.write(`${program}: ${line}\n`);
}

/** Resolves when the process is asked to end. */
export function stopAsked(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
  });
}
