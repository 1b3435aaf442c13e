import { type ConnectionConfig, type Impersonation, staticToken } from '@waygate/kube';
import { type Command, Option } from 'commander';
import { CliError, exitCode } from './context.ts';

/** What kubectl and flux let a person say of a cluster in place of the kubeconfig. */
export interface ClusterAccessFlags {
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asUid?: string;
  readonly asGroup?: readonly string[];
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** `--tls-server-name`, where a verb does not mean that of a Kong. */
  readonly apiServerName?: string;
  /** Which cluster and which user of the kubeconfig, in place of those of the context. */
  readonly cluster?: string;
  readonly user?: string;
}

const repeated = (text: string, before: readonly string[] = []) => [...before, text];

/**
 * Options that every verb takes and few people need: they work, and stay out of the help of each verb. Those
 * of the second half have nothing to act on here. What a verb calls its own before this stays its own.
 */
export function clusterAccessOptions(command: Command): Command {
  const taken = new Set(command.options.map(({ long }) => long));
  const hidden = [
    new Option('--server <url>', 'the address of the API'),
    new Option('--token <token>', 'the bearer token to use'),
    new Option('--as <user>', 'act as this user'),
    new Option('--as-uid <uid>', 'act as the user with this UID'),
    new Option('--as-group <group>', 'act as a member of this group').argParser(repeated),
    new Option('--certificate-authority <file>', 'the authority of the API'),
    new Option('--client-certificate <file>', 'the certificate to show'),
    new Option('--client-key <file>', 'the key of that certificate'),
    new Option('--insecure-skip-tls-verify', 'take any certificate of the API'),
    new Option('--cluster <name>', 'the cluster of the kubeconfig'),
    new Option('--user <name>', 'the user of the kubeconfig'),
    new Option('--cache-dir <directory>', 'nothing is kept'),
    new Option('--disable-compression', 'small answers are not compressed'),
    new Option('--kube-api-qps <number>', 'requests are not held back'),
    new Option('--kube-api-burst <number>', 'requests are not held back'),
    new Option('--ns-follows-kube-context', 'it always does'),
  ];
  for (const option of hidden) if (!taken.has(option.long)) command.addOption(option.hideHelp());
  return command;
}

/** A connection as the kubeconfig has it, with what was given instead. */
export function accessOf(config: ConnectionConfig, flags: ClusterAccessFlags): ConnectionConfig {
  const tls = given({
    caFile: flags.certificateAuthority,
    certificateFile: flags.clientCertificate,
    keyFile: flags.clientKey,
    insecureSkipTlsVerify: flags.insecureSkipTlsVerify,
    serverName: flags.apiServerName,
  });
  const impersonation = impersonationOf(flags);
  return {
    ...config,
    ...given({ server: flags.server, impersonation }),
    ...(flags.token === undefined ? {} : { credentials: staticToken(flags.token) }),
    ...(Object.keys(tls).length === 0 ? {} : { tls: tlsWith(config, tls) }),
  };
}

/** A file that was given stands in for the text that the kubeconfig has. */
function tlsWith({ tls }: ConnectionConfig, files: NonNullable<ConnectionConfig['tls']>) {
  return {
    ...tls,
    ...(files.caFile === undefined ? {} : { caData: undefined }),
    ...(files.certificateFile === undefined ? {} : { certificateData: undefined }),
    ...(files.keyFile === undefined ? {} : { keyData: undefined }),
    ...files,
  };
}

function impersonationOf({ as, asUid, asGroup }: ClusterAccessFlags): Impersonation | undefined {
  if (as !== undefined) return { user: as, ...given({ uid: asUid, groups: asGroup }) };
  if (asUid === undefined && asGroup === undefined) return undefined;
  throw new CliError('--as-uid and --as-group go with --as', { exitCode: exitCode.usage });
}

/** Without what was not given. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
