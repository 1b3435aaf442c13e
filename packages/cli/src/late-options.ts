import { type Command, Option } from 'commander';

/** The name that the certificate of the API is for. It is kept apart from that of a Kong. */
class ApiServerName extends Option {
  override attributeName(): string {
    return 'apiServerName';
  }
}

/**
 * Flags that flux takes with every command that looks into a cluster, but that some verbs have for something of
 * their own: they come when all others are there. The last two have nothing to act on in most verbs.
 */
export function lateOptions(command: Command): void {
  const taken = new Set(command.options.map(({ long }) => long));
  const late = [
    new ApiServerName('--tls-server-name <name>', 'the name that the certificate is for'),
    new Option('--timeout <duration>', 'nothing is waited for'),
    new Option('--verbose', 'what is done is said'),
  ];
  if (taken.has('--kube-api-qps')) {
    for (const option of late) if (!taken.has(option.long)) command.addOption(option.hideHelp());
  }
  for (const below of command.commands) lateOptions(below);
}
