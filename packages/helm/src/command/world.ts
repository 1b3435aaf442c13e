import type { RenderedFile } from '../engine/line-origins.ts';
import type { HelmMajor } from '../engine/values-type.ts';
import type { FunctionOptions } from '../functions/function-options.ts';
import type { EngineLimits } from '../go/budget.ts';
import type { ReleaseCluster } from '../release/release-cluster.ts';

/** What a path leads to, links followed. */
export interface FileStatus {
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly modifiedAtMs: number;
}

/** The files that a command reads and writes. Paths are absolute, with `/`. */
export interface CommandFiles {
  status(path: string): FileStatus | undefined;
  /** The place itself, after all links. */
  realPath(path: string): string;
  /** Names, sorted. */
  list(directory: string): readonly string[];
  read(path: string): Uint8Array;
  /** Makes the directories that lack. */
  write(path: string, data: Uint8Array): void;
  /** A file, or a directory with all in it; what is not there is no problem. */
  remove(path: string): void;
}

/** What was fetched from the network. */
export interface Fetched {
  readonly status: number;
  readonly data: Uint8Array;
}

/** How an HTTP server is talked to. */
export interface FetchOptions {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly caFile?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly maxBytes?: number | undefined;
}

/** A chart in an OCI registry. */
export interface PulledChart {
  /** The reference with the digest that it had, for messages. */
  readonly reference: string;
  readonly digest: string;
  readonly data: Uint8Array;
  readonly provenance?: Uint8Array | undefined;
}

/** The way out to the network. */
export interface CommandNetwork {
  /** @throws Error in Go's words when there is no answer */
  fetch(url: string, options: FetchOptions): Promise<Fetched>;
  /** The tags of a repository, by `oci://host/path`. */
  listTags(repository: string, options: RegistryOptions): Promise<readonly string[]>;
  /** @throws Error */
  pullChart(reference: string, options: RegistryOptions): Promise<PulledChart>;
}

export interface RegistryOptions extends FetchOptions {
  readonly plainHttp?: boolean | undefined;
}

/** Runs programs that change manifests: text in, text out. */
export interface PostRenderer {
  /** Where a program is. @throws Error in Go's words */
  find(name: string): string;
  run(
    command: string,
    args: readonly string[],
    input: string,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
}

/** What a command line says of the cluster, in place of the kubeconfig. */
export interface ClusterAccess {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly server?: string | undefined;
  readonly token?: string | undefined;
  readonly caFile?: string | undefined;
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
}

/** Checks a packed chart against its provenance file and a keyring. */
export type ProvenanceCheck = (
  archive: { readonly name: string; readonly data: Uint8Array },
  provenance: Uint8Array,
  keyring: string,
) => Promise<{
  readonly signedBy: readonly string[];
  readonly fingerprint: string;
  readonly hash: string;
}>;

/** Signs a text with a private key of a keyring, so that it can be read with its signature under it. */
export type ProvenanceSigner = (
  text: string,
  key: { readonly keyring: string; readonly name: string; readonly passphrase: string | undefined },
) => Promise<string>;

/** Everything that a command may touch. */
export interface CommandWorld {
  readonly helm: HelmMajor;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: CommandFiles;
  readonly network?: CommandNetwork | undefined;
  readonly postRenderer?: PostRenderer | undefined;
  readonly provenance?: ProvenanceCheck | undefined;
  readonly signer?: ProvenanceSigner | undefined;
  readonly readStdin?: (() => Promise<string>) | undefined;
  readonly now: () => Date;
  readonly random: (count: number) => Uint8Array;
  readonly timeZone: FunctionOptions['timeZone'];
  /** The version of the cluster for commands that would ask it, such as Helm 3's `install --dry-run`. */
  readonly clusterVersion?: string | undefined;
  /** Where releases are installed. Without it nothing is. */
  readonly cluster?: ReleaseCluster | undefined;
  /** The cluster for templates that ask one: `--validate`, `--dry-run=server`. */
  readonly connect?:
    | ((access: ClusterAccess) => Promise<{ cluster: ReleaseCluster; close(): Promise<void> }>)
    | undefined;
  /** This machine in Go's words, by which a plugin chooses its command. */
  readonly platform?: { readonly os: string; readonly arch: string } | undefined;
  /** How a repository is made known here, for messages: `'helm repo add'` where nothing is said. */
  readonly addRepository?: string | undefined;
  /** What rendering may use. */
  readonly limits?: Partial<EngineLimits> | undefined;
  /** Told each file that templates made, with the lines of the templates that its lines came from. */
  readonly onFile?: ((file: RenderedFile) => void) | undefined;
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
}
