import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { outputOption, print } from '../output.ts';
import { type ConnectionOptions, connectionOptions, withClient } from './gateway-connection.ts';

export function configure(command: Command, context: CliContext): void {
  outputOption(connectionOptions(command)).action(
    (options: ConnectionOptions & { readonly output: string }) =>
      withClient({ ...options, retries: 0 }, context, async (client) => {
        const info = await client.info(context.signal);
        const version = /\d+\.\d+/.exec(info.version)?.[0] ?? info.version;
        const text = `Successfully connected to Kong!\nKong version:  ${version}.0`;
        print(context, options.output, info, text);
      }),
  );
}
