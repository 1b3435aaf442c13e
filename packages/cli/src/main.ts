/** Runs one `waygate` command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [verb] = args;
  if (verb === 'version' || verb === '--version') {
    process.stdout.write('waygate 0.1.0\n');
    return 0;
  }
  process.stderr.write(`waygate: there is no verb '${verb ?? ''}'\n`);
  return 64;
}
