/** A failure that the world is to blame for, and not the program: no stack trace helps with it. */
interface OrdinaryFailure {
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Errors of the rooms that say what happened in the world, by their stable codes. */
const worldly: Readonly<Record<string, string | undefined>> = {
  WG_KUBE_API: undefined,
  WG_KUBE_CONFIG: undefined,
  WG_KUBE_CONNECTION: 'Is the Kubernetes API up, and does the kubeconfig name the right one?',
  WG_KUBE_NO_MATCH: 'Are the CustomResourceDefinitions installed?',
  WG_RUNTIME_CACHE_SYNC: 'May this account list and watch the kind, and does the API answer?',
  WG_RUNTIME_LEADERSHIP_LOST: 'Another replica may lead by now. Start this one again.',
  WG_RUNTIME_STOP_TIMEOUT: 'Start it again.',
};

const listenFailures: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen there',
  EADDRINUSE: 'somebody listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
};

/** What to tell people about a failure that is no defect; undefined for all others. */
export function ordinaryFailure(error: unknown): OrdinaryFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (code === undefined) return undefined;
  if (syscall === 'listen' && Object.hasOwn(listenFailures, code)) {
    const host = address?.includes(':') ? `[${address}]` : (address ?? '');
    return {
      message: `cannot listen on ${host}:${port ?? '?'}: ${listenFailures[code]}`,
      hint: 'Choose another address with the flag that names this one.',
    };
  }
  if (!Object.hasOwn(worldly, code)) return undefined;
  const hint = worldly[code];
  return { message: error.message, ...(hint === undefined ? {} : { hint }) };
}
