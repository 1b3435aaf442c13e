/** Ends a command: the message follows `Error: ` on standard error. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
