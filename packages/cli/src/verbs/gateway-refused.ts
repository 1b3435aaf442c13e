import { type Command, Option } from 'commander';
import { CliError } from '../context.ts';

const enterprise = 'it is for Kong Enterprise, whose own entities are not managed';
const konnect = 'it is for Konnect, which is not a Kong with an Admin API';

/** Flags of decK for what is not managed here: known, so that they are refused and not misread. */
const refused: readonly (readonly [flags: string, why: string])[] = [
  ['--rbac-resources-only', enterprise],
  ['--include-licenses', enterprise],
  ['--consumer-group-policy-overrides', enterprise],
  ['--skip-hash-for-basic-auth', konnect],
  ['--konnect-compatibility', konnect],
  ['--konnect-addr <url>', konnect],
  ['--konnect-token <token>', konnect],
  ['--konnect-token-file <file>', konnect],
  ['--konnect-email <email>', konnect],
  ['--konnect-password <password>', konnect],
  ['--konnect-password-file <file>', konnect],
  ['--konnect-control-plane-name <name>', konnect],
  ['--konnect-runtime-group-name <name>', konnect],
];

/** Lets a command say no to the flags that it will never have. */
export function refuseOthers(command: Command): Command {
  const options = refused.map(([flags, why]) => ({ option: new Option(flags).hideHelp(), why }));
  for (const { option } of options) command.addOption(option);
  // Nothing is sent to anybody: there is nothing to turn off.
  command.addOption(new Option('--analytics [value]').hideHelp());
  return command.hook('preAction', (_command, action) => {
    const given = action.opts();
    for (const { option, why } of options) {
      if (given[option.attributeName()] === undefined) continue;
      throw new CliError(`${option.long} is not supported: ${why}`, { exitCode: 64 });
    }
  });
}
